"""What those who manage a place have set for it."""

from dataclasses import asdict, dataclass, fields

from bot.languages import find_code, language_codes
from bot.services.tables import Caller
from bot.store.store import Store
from solver.errors import IllegalActionError, InvalidRequestError
from solver.wording import say

MOST_GAMES = 20
"""Games that a place may allow to be open at once."""
AUTO = "auto"
"""The word for no language of its own."""


@dataclass(frozen=True, slots=True)
class PlaceSettings:
    """What holds in a place."""

    games: int = 1
    """How many games may be open at once."""
    mentions: bool = False
    """Whether the player to move may be called by a mention."""
    posts: bool = False
    """Whether win probabilities are told in a message of their own after every turn."""
    language: str = ""
    """What everybody is answered in; else each person's own, and tables in the server's."""


async def settings_of(store: Store, place: str) -> PlaceSettings:
    """What holds in a place."""
    found = await store.place_settings(place)
    return PlaceSettings(
        **{one.name: found[one.name] for one in fields(PlaceSettings) if one.name in found}
    )


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
        raise InvalidRequestError(
            say('language: takes one of {known}, not "{word}"', known=known, word=language)
        )
    given = {
        "games": games,
        "mentions": mentions,
        "posts": posts,
        "language": tag if language else None,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    if changes and not caller.manages:
        raise IllegalActionError(say("only who manages this place can change its settings"))
    if games is not None:
        check_games(games, MOST_GAMES)
    for name, value in changes.items():
        await store.set_place_setting(caller.place, name, value)
    return await settings_of(store, caller.place)


def check_games(games: int, most: int) -> None:
    """Raises InvalidRequestError unless the option games: is 1 to `most`."""
    if not 1 <= games <= most:
        raise InvalidRequestError(
            say("games: takes 1 to {most}, not {games}", most=most, games=games)
        )


def settings_data(settings: PlaceSettings) -> dict[str, int | bool | str]:
    """As plain data."""
    return asdict(settings)
