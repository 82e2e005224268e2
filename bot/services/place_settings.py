"""What those who manage a place have set for it."""

from dataclasses import asdict, dataclass, fields

from bot.services.tables import Caller
from bot.store.store import Store
from solver.errors import IllegalActionError, InvalidRequestError

MOST_GAMES = 20
"""Games that a place may allow to be open at once."""


@dataclass(frozen=True, slots=True)
class PlaceSettings:
    """What holds in a place."""

    games: int = 1
    """How many games may be open at once."""
    mentions: bool = False
    """Whether the player to move may be called by a mention."""
    posts: bool = False
    """Whether win probabilities are told in a message of their own after every turn."""


async def place_settings(store: Store, place: str) -> PlaceSettings:
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
) -> PlaceSettings:
    """Set what is not None, and give what holds then.

    Raises IllegalActionError where the caller may not, and InvalidRequestError.
    """
    given = {"games": games, "mentions": mentions, "posts": posts}
    changes = {name: value for name, value in given.items() if value is not None}
    if changes and not caller.manages:
        raise IllegalActionError("only who manages this place can change its settings")
    if games is not None and not 1 <= games <= MOST_GAMES:
        raise InvalidRequestError(f"games: takes 1 to {MOST_GAMES}, not {games}")
    for name, value in changes.items():
        await store.set_place_setting(caller.place, name, value)
    return await place_settings(store, caller.place)


def settings_data(settings: PlaceSettings) -> dict[str, int | bool]:
    """As plain data."""
    return asdict(settings)
