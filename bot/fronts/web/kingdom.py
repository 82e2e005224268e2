"""The dice and badges of Kingdom Come, chosen by tapping them."""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from operator import attrgetter

from aiohttp import web

from bot.fronts.web.answers import Answer, asked, line_of
from bot.fronts.web.pages import Pages, dice_of, set_text
from bot.fronts.web.rendering import Page
from bot.views.named_dice import badge_effect
from solver.errors import FarkleError
from solver.loaded.matchup import MOST_LOADED
from solver.named.badges import NamedBadge, read_badge
from solver.named.catalogue import Badge, Version, known_badges, known_dice
from solver.named.rolls import JOKER_LETTER
from solver.named.sets import NamedDie, named_die
from solver.rules.ruleset import FACES
from solver.wording import say

_CHOSEN = ("my-dice", "their-dice", "own", "my-badge", "their-badge")
"""What is chosen by tapping, one after the other."""
_BADGES = _CHOSEN[3:]
_MOST_OWNED = 24
"""Dice that can be tapped together as those that somebody owns."""


@dataclass(frozen=True, slots=True)
class Tapped:
    """A die or a badge with what a tap on it leads to."""

    what: NamedDie | Badge
    said: str
    address: str
    """"" where there is no room for it any more."""


class Kingdom:
    """The page of Kingdom Come."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    async def shown(self, page: Page) -> web.StreamResponse:
        """Show what is chosen, what can be, and what it comes to once there is enough."""
        command = self._pages.questions["kcd"]
        given = asked(command, page.given)
        chosen = page.given.get("choose", "")
        chosen = chosen if chosen in _CHOSEN else _CHOSEN[0]
        dice = {name: dice_of(given.get(name, "")) for name in _CHOSEN[:3]}
        owned, mine = dice["own"], dice["my-dice"]
        is_asked = len(owned) > 0 or len(mine) == MOST_LOADED
        if owned:
            del dice["my-dice"]
            given.pop("my-dice", None)
        theirs = len(dice["their-dice"])
        answer = Answer()
        if is_asked and theirs in {0, MOST_LOADED}:
            answer = await self._pages.answer(page, line_of(command, given))
        is_badge = chosen in _BADGES
        most = _MOST_OWNED if chosen == "own" else MOST_LOADED
        here = dice.get(chosen, [])
        return page.answered(
            "kingdom.html",
            answer,
            here="kingdom",
            given=given,
            chosen=chosen,
            tabs=[(name, page.link("/kingdom", given, choose=name)) for name in _CHOSEN],
            dice=dice,
            badge=badge_of(given.get(chosen, "")) if is_badge else None,
            takes={k: _to_take(page, given, k, found) for k, found in dice.items()},
            adds=[] if is_badge else _to_add(page, given, chosen, here, most),
            badges=_to_choose(page, given, chosen) if is_badge else [],
            missing=0 if is_badge or chosen == "own" else MOST_LOADED - len(here),
            fields=[one for one in command.fields if one.name in {"goal", "buy", "began"}],
            command=command,
            links=_onward(page, given) if len(mine) == MOST_LOADED and not owned else [],
        )


def _onward(page: Page, given: Mapping[str, str]) -> list[tuple[str, str]]:
    """Where to go on with two sets of dice."""
    told = {name: value for name, value in given.items() if name in {*_CHOSEN, "goal"}}
    return [
        (say("Ask about a roll of these dice"), page.link("/", told)),
        (say("Play with these dice"), page.link("/play", {**told, "rules": "kcd"})),
        (say("Explore"), page.link("/explore", told)),
    ]


def badge_of(text: str) -> NamedBadge | None:
    """Return the badge that a text names, None where it names none."""
    with suppress(FarkleError):
        return read_badge(text)
    return None


def chances_text(named: NamedDie) -> str:
    """Return how often a die shows each face, in words."""
    total = sum(named.die.weights)
    return ", ".join(
        f"{JOKER_LETTER if face in named.die.jokers else face}: {round(100 * weight / total)} %"
        for face, weight in zip(FACES, named.die.weights, strict=True)
    )


@cache
def _catalogue() -> tuple[NamedDie, ...]:
    """The dice of which is known how they fall, as they are today."""
    return tuple(named_die(one) for one in known_dice() if Version.PATCHED in one.versions)


def _to_add(
    page: Page, given: Mapping[str, str], chosen: str, here: list[NamedDie], most: int
) -> list[Tapped]:
    """All dice, each with where a tap on it leads."""
    is_full = len(here) >= most
    return [
        Tapped(
            one,
            chances_text(one),
            ""
            if is_full
            else page.link("/kingdom", {**given, chosen: set_text([*here, one])}, choose=chosen),
        )
        for one in _catalogue()
    ]


def _to_take(
    page: Page, given: Mapping[str, str], chosen: str, here: list[NamedDie]
) -> list[Tapped]:
    """The dice that are chosen, each with where a tap on it leads, which takes it away."""
    found = []
    for place, one in enumerate(here):
        rest = set_text([*here[:place], *here[place + 1 :]])
        address = page.link("/kingdom", {**given, chosen: rest}, choose=chosen)
        found.append(Tapped(one, chances_text(one), address))
    return found


def badge_word(badge: Badge, points: int | None) -> str:
    """Return a badge as it stands in addresses, with the points that it is taken to be worth."""
    name = re.sub("'s|-", "", badge.name.casefold()).split()[0]
    return f"{badge.tier}-{name}" + (f":{points}" if points else "")


def _to_choose(
    page: Page, given: Mapping[str, str], chosen: str
) -> list[tuple[str, str, list[Tapped]]]:
    """The badges by their names and what they do, each with its tiers and where taps lead."""
    found = []
    for name, alike in groupby(known_badges(), key=attrgetter("called")):
        tiers, taps = list(alike), []
        for one in tiers:
            for points in one.points or (None,):
                address = page.link(
                    "/kingdom", {**given, chosen: badge_word(one, points)}, choose=chosen
                )
                said = say("{points:,} points", points=points) if points else ""
                taps.append(Tapped(one, said, address))
        found.append((name, badge_effect(tiers), taps))
    return found
