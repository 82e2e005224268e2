"""The dice and badges of Kingdom Come, chosen by tapping them."""

import re
from functools import cache
from itertools import groupby
from operator import attrgetter

from aiohttp import web

from bot.fronts.web.answers import Answer, asked, line_of
from bot.fronts.web.pages import Pages, dice_of, set_text
from bot.fronts.web.rendering import Page
from bot.views.named_dice import badge_effect
from solver.loaded.matchup import MOST_LOADED
from solver.named.catalogue import Badge, Version, known_badges, known_dice
from solver.named.rolls import JOKER_LETTER
from solver.named.sets import NamedDie, named_die
from solver.rules.ruleset import FACES

_CHOSEN = ("my-dice", "their-dice", "own", "my-badge", "their-badge")
"""What is chosen by tapping, one after the other."""
_BADGES = _CHOSEN[3:]
_MOST_OWNED = 24
"""Dice that can be tapped together as those that somebody owns."""


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
        here, tiered = dice.get(chosen, []), groupby(known_badges(), key=attrgetter("called"))
        return page.answered(
            "kingdom.html",
            answer,
            here="kingdom",
            given=given,
            chosen=chosen,
            tabs=[(name, page.link("/kingdom", given, choose=name)) for name in _CHOSEN],
            dice=dice,
            adds=() if is_badge else _catalogue(),
            is_full=len(here) >= (_MOST_OWNED if chosen == "own" else MOST_LOADED),
            badges=[[*tiers] for _, tiers in tiered] if is_badge else (),
            said=chances_text,
            set_text=set_text,
            word=badge_word,
            effect=badge_effect,
            missing=0 if is_badge or chosen == "own" else MOST_LOADED - len(here),
            fields=[field for field in command.fields if field.name in {"goal", "buy", "began"}],
            command=command,
            told={name: given[name] for name in (*_CHOSEN, "goal") if name in given},
            is_whole=len(mine) == MOST_LOADED and not owned,
        )


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
    return tuple(named_die(name) for name in known_dice() if Version.PATCHED in name.versions)


def badge_word(badge: Badge, points: int | None) -> str:
    """Return a badge as it stands in addresses, with the points that it is taken to be worth."""
    name = re.sub("'s|-", "", badge.name.casefold()).split()[0]
    return f"{badge.tier}-{name}" + (f":{points}" if points else "")
