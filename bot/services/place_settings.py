"""How those who manage a place change what is set for it."""

from bot.languages import find_code, language_codes
from bot.services.tables import Caller
from bot.store.rows import PlaceSettings
from bot.store.store import Store
from solver.errors import IllegalActionError, InvalidRequestError

MOST_OPEN_GAMES = 20
"""Games that a place may allow to be open at once."""
AUTO = "auto"
"""The word for no language of its own."""


async def change_settings(
    store: Store,
    caller: Caller,
    *,
    games: int | None = None,
    mentions: bool | None = None,
    posts: bool | None = None,
    language: str | None = None,
) -> PlaceSettings:
    """Set what is not None, and give what holds then; the language "auto" is none.

    Raises IllegalActionError where the caller may not, and InvalidRequestError.
    """
    tag = find_code(language) if language and language.lower() != AUTO else ""
    if tag is None:
        known = ", ".join([*language_codes(), AUTO])
        raise InvalidRequestError.say(
            'language: takes one of {known}, not "{word}"', known=known, word=language
        )
    given = {
        "games": games,
        "mentions": mentions,
        "posts": posts,
        "language": tag if language else None,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    if changes and not caller.manages:
        raise IllegalActionError.say("only who manages this place can change its settings")
    if games is not None:
        check_games(games, MOST_OPEN_GAMES)
    for name, value in changes.items():
        await store.set_place_setting(caller.place, name, value)
    return await store.settings(caller.place)


def check_games(games: int, most: int) -> None:
    """Raises InvalidRequestError unless the option games: is 1 to `most`."""
    if not 1 <= games <= most:
        raise InvalidRequestError.say(
            "games: takes 1 to {most}, not {games}", most=most, games=games
        )
