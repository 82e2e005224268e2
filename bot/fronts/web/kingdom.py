"""The dice and badges of Kingdom Come, chosen by tapping them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from operator import attrgetter

from aiohttp import web

from bot.fronts.web.answers import Answer, asked, line_of
from bot.fronts.web.pages import Pages, dice_of, set_text
from bot.fronts.web.rendering import Page
from bot.views.named_dice import badge_effect, faces_text
from solver.loaded.matchup import MOST_LOADED
from solver.named.catalogue import Badge, Version, known_badges, known_dice
from solver.named.sets import NamedDie, named_die
from solver.wording import say, say_later

_TITLES = {
    "my-dice": say_later("Your dice"),
    "their-dice": say_later("Their dice"),
    "own": say_later("Dice you own"),
    "my-badge": say_later("Your badge"),
    "their-badge": say_later("Their badge"),
}
"""What is chosen by tapping, one after the other, and what it is called."""
_BADGES = "my-badge", "their-badge"
_MOST_OWNED = 24
"""Dice that can be tapped together as those that somebody owns."""


@dataclass(frozen=True, slots=True)
class Tap:
    """A die or a badge that a tap takes, or takes away."""

    of: NamedDie | Badge
    address: str
    """Where it leads, "" where no more can be taken."""
    label: str
    """What it does, for those who hear the page."""
    text: str
    """What it shows."""


class Choosing:
    """What is chosen in a page, and what can be."""

    def __init__(self, given: Mapping[str, str], choose: str, link: Callable[..., str]) -> None:
        """The page at an address.

        given : what is asked; where dice are owned, those that are taken are left out
        choose : which of it the next taps choose
        link : makes addresses, see `bot.fronts.web.rendering.link`
        """
        self.chosen = choose if choose in _TITLES else "my-dice"
        left_out = "my-dice" if dice_of(given.get("own", "")) else ""
        self.given = {name: value for name, value in given.items() if name != left_out}
        self.tapped = {name: text for name, text in self.given.items() if name in _TITLES}
        """What was chosen so far, as it stands in addresses."""
        self._dice = {
            name: dice_of(self.given.get(name, "")) for name in _TITLES if name not in _BADGES
        }
        self._link = link
        self.is_whole = len(self._dice["my-dice"]) == MOST_LOADED
        against = len(self._dice["their-dice"])
        self.is_asked = (self.is_whole or left_out != "") and against in {0, MOST_LOADED}
        """Whether there are enough dice for an answer."""
        can_be_less = self.chosen in {"own", *_BADGES}
        self.missing = 0 if can_be_less else MOST_LOADED - len(self._dice[self.chosen])
        """The number of dice that six are short of."""

    def _address(self, name: str, value: str) -> str:
        """Where something else is chosen."""
        return self._link("/kingdom", self.given, **{name: value, "choose": name})

    @property
    def tabs(self) -> list[tuple[str, str, bool]]:
        """What can be chosen: the title, the address and whether it is this."""
        return [
            (say(title), self._link("/kingdom", self.given, choose=name), name == self.chosen)
            for name, title in _TITLES.items()
        ]

    @property
    def held(self) -> list[tuple[str, list[Tap]]]:
        """The dice that are chosen, with their title: a tap takes one away."""
        return [
            (say(_TITLES[name]), [self._held(name, k) for k in range(len(dice))])
            for name, dice in self._dice.items()
            if dice
        ]

    def _held(self, name: str, k: int) -> Tap:
        dice = self._dice[name]
        address = self._address(name, set_text(dice[:k] + dice[k + 1 :]))
        return Tap(dice[k], address, say("Take away: {die}", die=dice[k].called), dice[k].typed)

    @property
    def worn(self) -> list[tuple[str, str, str]]:
        """The badges that are chosen: the title, the badge and where there is none."""
        worn = [name for name in _BADGES if name in self.tapped]
        return [(say(_TITLES[name]), self.tapped[name], self._address(name, "")) for name in worn]

    @property
    def adds(self) -> list[Tap]:
        """The dice that can be chosen; none where a badge is."""
        return [] if self.chosen in _BADGES else [*map(self._added, _catalogue())]

    def _added(self, die: NamedDie) -> Tap:
        held = self._dice[self.chosen]
        is_full = len(held) >= (_MOST_OWNED if self.chosen == "own" else MOST_LOADED)
        address = "" if is_full else self._address(self.chosen, set_text([*held, die]))
        return Tap(die, address, f"{die.called}. {faces_text(die)}", die.typed)

    @property
    def badges(self) -> list[tuple[str, str, list[Tap]]]:
        """The badges that can be chosen: the name, what they do, and each; none where dice are."""
        known = known_badges() if self.chosen in _BADGES else ()
        tiers = [[*same] for _, same in groupby(known, key=attrgetter("called"))]
        return [
            (
                same[0].called,
                badge_effect(same),
                [self._badge(badge, points) for badge in same for points in badge.points or [0]],
            )
            for same in tiers
        ]

    def _badge(self, badge: Badge, points: int) -> Tap:
        worth, tier = say("{points:,} points", points=points) if points else "", say(badge.tier)
        address = self._address(self.chosen, badge_word(badge, points))
        return Tap(badge, address, f"{badge.called}, {tier} {worth}", worth or tier)


class Kingdom:
    """The page of Kingdom Come."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    async def shown(self, page: Page) -> web.StreamResponse:
        """Show what is chosen, what can be, and what it comes to once there is enough."""
        command = self._pages.questions["kcd"]
        given, answer = asked(command, page.given), Answer()
        choosing = Choosing(given, page.given.get("choose", ""), page.link)
        if choosing.is_asked:
            answer = await self._pages.answer(page, line_of(command, choosing.given))
        return page.answered(
            "kingdom.html",
            answer,
            here="kingdom",
            choosing=choosing,
            fields=[field for field in command.fields if field.name in {"goal", "buy", "began"}],
            told={**choosing.tapped, "goal": given.get("goal")},
        )


@cache
def _catalogue() -> tuple[NamedDie, ...]:
    """The dice of which is known how they fall, as they are today."""
    return tuple(named_die(name) for name in known_dice() if Version.PATCHED in name.versions)


def badge_word(badge: Badge, points: int | None) -> str:
    """Return a badge as it stands in addresses, with the points that it is taken to be worth."""
    name = re.sub("'s|-", "", badge.name.casefold()).split()[0]
    return f"{badge.tier}-{name}" + (f":{points}" if points else "")
