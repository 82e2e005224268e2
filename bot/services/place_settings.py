"""How those who manage a place change what is set for it."""

import re

from bot.languages import find_code, language_codes
from bot.services.tables import Caller
from bot.store.rows import PlaceSettings
from bot.store.store import Store
from solver.errors import IllegalActionError, InvalidRequestError
from solver.wording import say, say_later, spoken

MOST_OPEN_GAMES = 20
"""Games that a place may allow to be open at once."""
AUTO = "auto"
"""The word for no language of its own."""
OFF = say_later("off")
"""The word for no daily position."""
_HOUR = re.compile(r"(\d{1,2})(?::00)?")


async def change_settings(
    store: Store,
    caller: Caller,
    *,
    games: int | None = None,
    language: str | None = None,
    daily: str | None = None,
    **switches: bool | None,
) -> PlaceSettings:
    """Set what is not None, and give what holds then; the language "auto" is none.

    daily : the hour in UTC at which the daily position is posted, or "off"
    switches : what is on or off, by its name among the settings

    Raises IllegalActionError where the caller may not, and InvalidRequestError.
    """
    tag = find_code(language) if language and language.lower() != AUTO else ""
    if tag is None:
        known = ", ".join([*language_codes(), AUTO])
        raise InvalidRequestError.say(
            'language: takes one of {known}, not "{word}"', known=known, word=language
        )
    given = {
        **switches,
        "games": games,
        "language": tag if language else None,
        "daily": None if daily is None else _hour(daily),
        # who switches it on is rather one of those who read it
        "daily_language": spoken().code if daily else None,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    if changes and not caller.manages:
        raise IllegalActionError.say("only people who manage this place can change its settings")
    if games is not None:
        check_games(games, MOST_OPEN_GAMES)
    for name, value in changes.items():
        await store.set_place_setting(caller.place, name, value)
    return await store.settings(caller.place)


def _hour(text: str) -> int:
    """An hour of the day as typed, -1 for none. Raises InvalidRequestError."""
    word = text.strip().lower()
    if word in {OFF, say(OFF).lower()}:
        return -1
    if (hour := _HOUR.fullmatch(word)) and int(hour[1]) < 24:
        return int(hour[1])
    raise InvalidRequestError.say(
        'daily: takes an hour from 0 to 23, in UTC, or {off}, not "{word}"', off=OFF, word=text
    )


def check_games(games: int, most: int) -> None:
    """Raises InvalidRequestError unless the option games: is 1 to `most`."""
    if not 1 <= games <= most:
        raise InvalidRequestError.say(
            "games: takes 1 to {most}, not {games}", most=most, games=games
        )
