"""Badges as people write them: `emperor`, `tyche@all`, `carpenter:150`, `gold headstart:500`.

What is told of a badge becomes the combinations that it adds or changes, or a head start. How many
points a formation or a head start is nobody knows, so that whoever asks gives them.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import reduce

from solver.errors import InvalidRequestError, did_you_mean, either
from solver.named.catalogue import Badge, Tier, known_badges
from solver.named.names import words_of
from solver.rules.complaints import short
from solver.rules.ruleset import Ruleset
from solver.turn.scoring import Badge as Combinations
from solver.wording import say

_HEADSTART, _FORMATION, _TRIPLE = "headstart", "formation", "triple"
_BADGE = re.compile(r"(?P<name>[^\d:=@]+)(?:[:=\s]\s*(?P<points>\d{1,6}))?(?P<all>@all)?", re.I)
_TIERS = {
    "tin": Tier.TIN,
    "zinn": Tier.TIN,
    "silver": Tier.SILVER,
    "silber": Tier.SILVER,
    "gold": Tier.GOLD,
}


@dataclass(frozen=True, slots=True)
class NamedBadge:
    """A badge that a player holds, as far as it can be played out exactly."""

    key: str
    """The first word of its name in English."""
    tier: Tier | None
    """None where it was not said and the badge has several."""
    points: int | None
    """As given, of a formation or a head start."""
    every: bool = False
    """Whether four and more of a kind are multiplied as well as three."""

    @property
    def badge(self) -> Badge:
        """Its entry in the catalogue."""
        return next(one for one in known_badges() if _key(one) == self.key)

    @property
    def head_start(self) -> int:
        """Points at the start of the game."""
        return (self.points or 0) if self.badge.kind == _HEADSTART else 0

    def combinations(self, rules: Ruleset) -> Combinations:
        """The combinations that it adds or changes."""
        effect = self.badge.effect
        if self.badge.kind == _FORMATION:
            return ((effect["combination"], self.points or 0),)
        if self.badge.kind == _TRIPLE:
            face = effect["multiplies"][0]
            numbers = range(3, rules.dice + 1 if self.every else 4)
            return tuple(
                ((face,) * n, effect["times"] * rules.combinations[(face,) * n])
                for n in numbers
                if (face,) * n in rules.combinations
            )
        return ()

    @property
    def text(self) -> str:
        """Its shortest form in the language that is spoken, which `read_badge` reads again."""
        word = _word(self.badge.called)
        tier = f"{self.tier}-" if self.tier and self.badge.kind == _HEADSTART else ""
        points = "" if self.points is None else f":{self.points}"
        return f"{tier}{word}{points}" + ("@all" if self.every else "")


def read_badge(text: str) -> NamedBadge:
    """The badge that a text names. Raises InvalidRequestError."""
    plain = unicodedata.normalize("NFKC", text).strip().replace("_", " ").replace("-", " ")
    match = _BADGE.fullmatch(plain)
    words = [word for typed in words_of(match["name"] if match else "") for word in typed]
    tiers = {_TIERS[word] for word in words if word in _TIERS}
    name = [word for word in words if word not in _TIERS]
    found = [one for one in known_badges() if name and all(_names(one, word) for word in name)]
    keys = list(dict.fromkeys(map(_key, found)))
    if not match or not keys or len(tiers) > 1:
        known = list(dict.fromkeys(_word(one.called) for one in known_badges()))
        raise InvalidRequestError(
            say('there is no badge called "{name}"', name=short(text.strip()))
            + did_you_mean(plain.casefold(), known)
        )
    if len(keys) > 1:
        raise InvalidRequestError.say(
            '"{name}" may be {dice}: write one of these',
            name=short(text.strip()),
            dice=reduce(either, dict.fromkeys(_word(one.called) for one in found)),
        )
    of_tier = [one for one in found if not tiers or one.tier in tiers]
    badge = found[0]
    if not of_tier:
        raise InvalidRequestError.say(
            "there is no badge {name} of {tier}",
            name=badge.called,
            tier=next(iter(tiers)),
        )
    every, points = bool(match["all"]), match["points"]
    tier = of_tier[0].tier if len(of_tier) == 1 else None
    _check(badge, found, points, every=every)
    return NamedBadge(keys[0], tier, None if points is None else int(points), every)


def read_badges(
    mine: str | None, theirs: str | None
) -> tuple[NamedBadge | None, NamedBadge | None]:
    """The badges of two players, None for none. Raises InvalidRequestError."""
    one, other = (None if text is None else read_badge(text) for text in (mine, theirs))
    if one and other and one.tier and other.tier and one.tier is not other.tier:
        raise InvalidRequestError.say(
            "both players have a badge of one tier: {one} is {tier}, {other} is {other_tier}",
            one=one.text,
            tier=one.tier,
            other=other.text,
            other_tier=other.tier,
        )
    return one, other


def _check(badge: Badge, tiers: list[Badge], points: str | None, *, every: bool) -> None:
    """Refuse what cannot be played out, and points where there is nothing to give them for."""
    word = _word(badge.called)
    if badge.kind in {_HEADSTART, _FORMATION}:
        if points is None or int(points) == 0:
            guesses = dict.fromkeys(guess for one in tiers for guess in one.points)
            raise InvalidRequestError.say(
                "nobody knows how many points {badge} is (sources guess {guesses}): say it, as in"
                " {word}:{points}",
                badge=badge.called,
                guesses=", ".join(map(str, guesses)),
                word=word,
                points=next(iter(guesses)),
            )
        known = not every
    else:
        known = badge.kind == _TRIPLE and points is None
        if badge.kind != _TRIPLE:
            raise InvalidRequestError.say(
                "{badge} is used up in a game, and that cannot be computed yet: only badges that"
                " add points or combinations can, such as emperor, tyche, carpenter:150 and"
                " headstart:500",
                badge=badge.called,
            )
    if not known:
        raise InvalidRequestError.say("{badge} is written {word}", badge=badge.called, word=word)


def _key(badge: Badge) -> str:
    return _word(badge.name)


def _word(name: str) -> str:
    """The word of a name that tells it apart, as it is typed."""
    return name.casefold().replace("'s", "").replace("-", "").split()[0]


def _names(badge: Badge, word: str) -> bool:
    """Whether a word begins one of the names of a badge."""
    names = (badge.name, badge.german, _word(badge.name), _word(badge.german))
    return len(word) > 1 and any(
        own.startswith(word) or "".join(words).startswith(word)
        for name in names
        for words in words_of(name)
        for own in words
    )
