"""The dice and badges of Kingdom Come, chosen by tapping them."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from itertools import groupby
from operator import attrgetter

from aiohttp import web

from bot.fronts.web.answers import Answer, asked, line_of
from bot.fronts.web.pages import Pages, dice_of, set_text
from bot.fronts.web.rendering import Page
from bot.services.loaded import ORDINARY
from bot.views.named_dice import badge_effect, faces_text
from solver.errors import FarkleError
from solver.loaded.matchup import MOST_LOADED
from solver.named.badges import read_badge
from solver.named.catalogue import Badge, Version, known_badges, known_dice
from solver.named.sets import NamedDie, named_die, read_dice
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


async def kingdom_page(page: Page, pages: Pages) -> web.StreamResponse:
    """Show what is chosen, what can be, and what it comes to once there is enough."""
    command = pages.questions["kcd"]
    given, answer = asked(command, page.given), Answer()
    chosen = page.given.get("choose", "")
    chosen = chosen if chosen in _TITLES else "my-dice"
    if owns := len(dice_of(given.get("own", ""))) > 0:
        given.pop("my-dice", None)  # of those that are owned six are chosen
    tapped = {name: text for name, text in given.items() if name in _TITLES}
    dice = {name: dice_of(given.get(name, "")) for name in _TITLES if name not in _BADGES}
    is_whole = len(dice["my-dice"]) == MOST_LOADED
    if wrong := next((name for name in tapped if not _is_known(name, given[name])), None):
        # the command says what is wrong with it
        line = line_of(command, {"my-dice": ORDINARY, wrong: given[wrong]})
        answer = await pages.answer(page, line)
    elif (is_whole or owns) and len(dice["their-dice"]) in {0, MOST_LOADED}:
        answer = await pages.answer(page, line_of(command, given))

    def to(name: str, value: str) -> str:
        return page.link("/kingdom", given, **{name: value, "choose": name})

    titles = {name: say(title) for name, title in _TITLES.items()}
    most = _MOST_OWNED if chosen == "own" else MOST_LOADED
    here = dice.get(chosen)
    return page.answered(
        "kingdom.html",
        answer,
        here="kingdom",
        given=given,
        chosen=chosen,
        held=[
            (titles[name], taken_away(held, partial(to, name)))
            for name, held in dice.items()
            if held
        ],
        worn=[
            (titles[name], _badge_text(given[name]), to(name, ""))
            for name in _BADGES
            if name in given
        ],
        tabs=[
            (title, page.link("/kingdom", given, choose=name), name == chosen)
            for name, title in titles.items()
        ],
        adds=() if here is None else added(here, most, partial(to, chosen)),
        badges=badge_rows(partial(to, chosen)) if here is None else (),
        missing=0 if here is None or chosen == "own" else MOST_LOADED - len(here),
        fields=[field for field in command.fields if field.name in {"goal", "buy", "began"}],
        tapped=tapped,
        told={**tapped, "goal": given.get("goal")},
        is_whole=is_whole,
    )


def _is_known(name: str, text: str) -> bool:
    """Return whether a badge or dice that are given can be taken, or more dice beside them."""
    with suppress(FarkleError):
        if name in _BADGES:
            return bool(read_badge(text))
        return name == "own" or len(read_dice(text)) <= MOST_LOADED
    return False


def _badge_text(text: str) -> str:
    """Return a badge in the language that is spoken, or as it was given where there is none."""
    with suppress(FarkleError):
        return read_badge(text).text
    return text


def taken_away(dice: list[NamedDie], to: Callable[[str], str]) -> list[Tap]:
    """Return the dice that are chosen, each of which a tap takes away; `to` links to others."""
    return [
        Tap(
            die,
            to(set_text(dice[:k] + dice[k + 1 :])),
            say("Take away: {die}", die=die.called),
            die.typed,
        )
        for k, die in enumerate(dice)
    ]


def added(dice: list[NamedDie], most: int, to: Callable[[str], str]) -> list[Tap]:
    """Return the dice that can be chosen beside others, as long as there are not `most` of them."""
    is_full = len(dice) >= most
    return [
        Tap(
            die,
            "" if is_full else to(set_text([*dice, die])),
            f"{die.called}. {faces_text(die)}",
            die.typed,
        )
        for die in _catalogue()
    ]


def badge_rows(to: Callable[[str], str]) -> list[tuple[str, str, list[Tap]]]:
    """Return badges that can be chosen: the name, what they do, and each tier with its points."""

    def tap(badge: Badge, points: int) -> Tap:
        worth, tier = say("{points:,} points", points=points) if points else "", say(badge.tier)
        label = f"{badge.called}, {tier} {worth}"
        return Tap(badge, to(badge_word(badge, points)), label, worth or tier)

    alike = [[*tiers] for _, tiers in groupby(known_badges(), key=attrgetter("called"))]
    return [
        (
            tiers[0].called,
            badge_effect(tiers),
            [tap(badge, points) for badge in tiers for points in badge.points or [0]],
        )
        for tiers in alike
    ]


@cache
def _catalogue() -> tuple[NamedDie, ...]:
    """The dice of which is known how they fall, as they are today."""
    return tuple(named_die(name) for name in known_dice() if Version.PATCHED in name.versions)


def badge_word(badge: Badge, points: int | None) -> str:
    """Return a badge as it stands in addresses, with the points that it is taken to be worth."""
    name = re.sub("'s|-", "", badge.name.casefold()).split()[0]
    return f"{badge.tier}-{name}" + (f":{points}" if points else "")
