"""Badges as people write them: `emperor`, `carpenter:150`, `gold-might:2`, `tin-warlord@start`.

What is told of a badge becomes the combinations that it adds or changes, a head start, or what it
allows some times in a game, a power. How many points a formation or a head start is nobody knows,
so that whoever asks gives them. Of a badge that is used up the number is how often it still can be,
and words behind an @ say what sources leave open, see solver.turn.powers.
"""

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import cache

from solver.errors import InvalidRequestError, did_you_mean, one_of
from solver.named.catalogue import Badge, Tier, known_badges
from solver.named.names import words_of
from solver.named.sets import NamedDie, added_die, read_die
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Badge as Combinations
from solver.turn.dice import Die
from solver.turn.powers import Power, PowerKind
from solver.wording import say, short, spoken

_HEADSTART, _FORMATION, _TRIPLE, _DEFENCE = "headstart", "formation", "triple", "defence"
_TWICE = 100
"""Hundredths more that are twice the points, or by another reading three times as many."""
_POWERS = {
    "warlord": (PowerKind.WARLORD, "share"),
    "resurrection": (PowerKind.RESURRECTION, ""),
    "might": (PowerKind.MIGHT, ""),
    "doppelganger": (PowerKind.DOPPELGANGER, ""),
    "transmutation": (PowerKind.TRANSMUTATION, "face"),
    "fortune": (PowerKind.REROLL, "dice"),
    "swap": (PowerKind.REROLL, "dice"),
    "joker": (PowerKind.TRANSMUTATION, ""),
}
"""What badges allow that are used up, and which of their fields is its amount."""
_ALL, _START, _FARKLE, _ONCE = "all", "start", "farkle", "once"
_TRIPLE_POINTS, _ONE_USE = "triple", "use"
_DOUBLED = 100
"""Points that are added, in hundredths, where they count twice."""
_BADGE = re.compile(
    r"(?P<name>[^\d:=@+]+)(?:[:=\s]\s*(?P<number>\d{1,6}))?(?P<said>(?:\s*@\s*[a-z]+)*)"
    r"(?:\s*\+\s*(?P<die>.+))?",
    re.I,
)
_TIERS = {
    "tin": Tier.TIN,
    "zinn": Tier.TIN,
    "silver": Tier.SILVER,
    "silber": Tier.SILVER,
    "gold": Tier.GOLD,
}


@dataclass(frozen=True, slots=True)
class NamedBadge:
    """A badge that a player holds."""

    key: str
    """The first word of its name in English."""
    tier: Tier | None
    """None where it was not said and does not matter."""
    points: int | None
    """The points of a formation or a head start, as given."""
    said: frozenset[str] = frozenset()
    """Words that were said of what sources leave open."""
    left: int | None = None
    """How often it still can be used; None for as often as in a game."""
    die: NamedDie | None = None
    """The die that it adds to a roll; None for an ordinary one."""

    @property
    def badge(self) -> Badge:
        """The entry of the badge in the catalogue."""
        tiers = _tiers(self.key)
        return next((badge for badge in tiers if badge.tier is self.tier), tiers[0])

    @property
    def head_start(self) -> int:
        """Points at the start of the game."""
        return (self.points or 0) if self.badge.kind == _HEADSTART else 0

    @property
    def cancels(self) -> bool:
        """Whether it acts on the other player's badge, see `against`."""
        return self.badge.kind == _DEFENCE

    @property
    def cancels_one_use(self) -> bool:
        """Whether all that it does is to take one use from the other player's badge."""
        return self.cancels and _ONE_USE in self.said

    @property
    def multiplies_three_only(self) -> bool:
        """Whether it makes more of three of a kind, and nothing of four and more."""
        return self.badge.kind == _TRIPLE and _ALL not in self.said

    @property
    def may_triple(self) -> bool:
        """Whether it doubles points and could be said to triple them."""
        power = self.power
        return bool(power and power.kind is PowerKind.WARLORD and power.amount == _DOUBLED)

    @property
    def says_when(self) -> bool:
        """Whether it was said when it acts, or how often in a turn."""
        return bool(self.said & {_START, _FARKLE, _ONCE})

    def against(self, other: "NamedBadge | None") -> "NamedBadge | None":
        """What it does beside another player's badge, None for nothing."""
        if self.cancels or (other and other.cancels and not other.cancels_one_use):
            return None
        if other and other.cancels and self.uses_left:
            return replace(self, left=self.uses_left - 1)
        return self

    def combinations(self, rules: Ruleset) -> Combinations:
        """The combinations that it adds or changes."""
        effect = self.badge.effect
        if self.badge.kind == _FORMATION:
            return ((effect["combination"], self.points or 0),)
        if self.badge.kind == _TRIPLE:
            face = effect["multiplies"][0]
            numbers = range(3, rules.dice + 1 if _ALL in self.said else 4)
            return tuple(
                ((face,) * n, effect["times"] * rules.combinations[(face,) * n])
                for n in numbers
                if (face,) * n in rules.combinations
            )
        return ()

    @property
    def power(self) -> Power | None:
        """What it allows some times in a game."""
        badge = self.badge
        if badge.kind not in _POWERS:
            return None
        kind, field = _POWERS[badge.kind]
        alike = badge.kind == "swap" and badge.effect["dice"] > 1
        return Power(
            kind,
            uses=badge.uses,
            amount=(1 + (_TRIPLE_POINTS in self.said)) * badge.effect.get(field, 0),
            alike=alike,
            after_farkle=_FARKLE in self.said,
            at_start=_START in self.said,
            once=_ONCE in self.said and badge.uses > 1,
            die=self.die.die if self.die else Die(),
        )

    @property
    def added(self) -> NamedDie | None:
        """The die that it adds to a roll, as it is called beside the own ones."""
        power = self.power
        return added_die(power.die) if power and power.kind is PowerKind.MIGHT else None

    @property
    def uses_left(self) -> int:
        """How often it still can be used, 0 for one that is not used up."""
        return (self.badge.uses if self.left is None else self.left) if self.power else 0

    @property
    def text(self) -> str:
        """The shortest form of the badge in the language that is spoken; `read_badge` reads it."""
        badge, word = self.badge, _word(self.badge.called)
        alike = _tiers(self.key)
        matters = badge.kind in _POWERS or badge.kind in {_HEADSTART, _DEFENCE}
        tier = f"{_tier_word(self.tier)}-" if self.tier and matters and len(alike) > 1 else ""
        number = self.left if self.power else self.points
        shown = "" if number is None else f":{number}"
        die = f"+{self.die.typed}" if self.die else ""
        return f"{tier}{word}{shown}" + "".join(f"@{detail}" for detail in sorted(self.said)) + die


def read_badge(text: str) -> NamedBadge:
    """The badge that a text names. Raises InvalidRequestError, or InvalidDiceError for its die."""
    plain = unicodedata.normalize("NFKC", text).strip().replace("_", " ")
    before, plus, after = plain.partition("+")  # dice have names with a hyphen
    plain = before.replace("-", " ") + plus + after
    match = _BADGE.fullmatch(plain)
    words = [word for typed in words_of(match["name"] if match else "") for word in typed]
    tiers = {_TIERS[word] for word in words if word in _TIERS}
    name = [word for word in words if word not in _TIERS]
    matches = [
        known for known in known_badges() if name and all(_names(known, word) for word in name)
    ]
    keys = list(dict.fromkeys(_word(badge.name) for badge in matches))
    if not match or not keys or len(tiers) > 1:
        known = list(dict.fromkeys(_word(badge.called) for badge in known_badges()))
        raise InvalidRequestError(
            say('there is no badge called "{name}"', name=short(text.strip()))
            + did_you_mean(plain.casefold(), known)
        )
    if len(keys) > 1:
        raise InvalidRequestError.say(
            '"{name}" could be {dice}: write one of these',
            name=short(text.strip()),
            dice=one_of(dict.fromkeys(_word(known.called) for known in matches)),
        )
    of_tier = [known for known in matches if not tiers or known.tier in tiers]
    badge = matches[0]
    if not of_tier:
        raise InvalidRequestError.say(
            "there is no badge {name} of {tier}",
            name=badge.called,
            tier=next(iter(tiers)),
        )
    said = frozenset(word.strip().lower() for word in match["said"].split("@")[1:])
    number = None if match["number"] is None else int(match["number"])
    tier = of_tier[0].tier if len(of_tier) == 1 else None
    _check(matches, of_tier, said, match["die"])
    if badge.kind not in _POWERS:
        _check_points(badge, matches, number)
        return NamedBadge(keys[0], tier, number, said)
    if tier is None:
        raise InvalidRequestError.say(
            "there is more than one {badge}: write {words}",
            badge=badge.called,
            words=one_of([f"{_tier_word(known.tier)}-{_word(known.called)}" for known in matches]),
        )
    if number is not None and number > of_tier[0].uses:
        raise InvalidRequestError.say(
            "{badge}: the uses left are 0 to {uses}, not {number}",
            badge=f"{_tier_word(tier)}-{_word(badge.called)}",
            uses=of_tier[0].uses,
            number=number,
        )
    left = None if number == of_tier[0].uses else number
    die = read_die(match["die"]) if match["die"] else None
    return NamedBadge(keys[0], tier, None, said, left, die)


def read_badges(
    mine: str | None, theirs: str | None
) -> tuple[NamedBadge | None, NamedBadge | None]:
    """The badges of two players, None for none. Raises what `read_badge` does."""
    my_badge, their_badge = (None if text is None else read_badge(text) for text in (mine, theirs))
    check_tiers(my_badge, their_badge)
    return my_badge, their_badge


Badges = tuple[NamedBadge | None, NamedBadge | None]
"""The badges of two players, None for none."""


def played_badges(mine: NamedBadge | None, theirs: NamedBadge | None) -> Badges:
    """The badges of two players that do anything, with the uses that one leaves the other."""
    return mine and mine.against(theirs), theirs and theirs.against(mine)


def check_tiers(mine: NamedBadge | None, theirs: NamedBadge | None) -> None:
    """Raises InvalidRequestError for badges of two players that are of different tiers."""
    if mine and theirs and mine.tier and theirs.tier and mine.tier is not theirs.tier:
        raise InvalidRequestError.say(
            "both badges have to be of the same tier: {one} is {tier}, {other} is {other_tier}",
            one=mine.text,
            tier=say(mine.tier),
            other=theirs.text,
            other_tier=say(theirs.tier),
        )


def _check(tiers: list[Badge], of_tier: list[Badge], said: frozenset[str], die: str | None) -> None:
    """Refuse words that the badge, in all tiers and in the one that is meant, does not know."""
    badge = tiers[0]
    known = {
        _TRIPLE: {_ALL},
        _DEFENCE: {_ONE_USE},
        "warlord": {_START},
        "fortune": {_FARKLE},
        "transmutation": {_FARKLE},
        "swap": {_FARKLE},
        "joker": {_FARKLE},
    }.get(badge.kind, set())
    if any(tier.effect.get("share") == _TWICE for tier in of_tier):
        known = known | {_TRIPLE_POINTS}
    if badge.kind in _POWERS and max(tier.uses for tier in tiers) > 1:
        known = known | {_ONCE}
    ends = [f"@{word}" for word in sorted(known)]
    if wrong := sorted(said - known):
        raise InvalidRequestError.say(
            "there is no {badge} with @{wrong}; write {word}",
            badge=badge.called,
            word=one_of([_word(badge.called) + end for end in ("", *ends)]),
            wrong=short(wrong[0], 20),
        )
    if die is not None and badge.kind != "might":
        raise InvalidRequestError.say("{badge} does not add a die to a roll", badge=badge.called)


def _check_points(badge: Badge, tiers: list[Badge], points: int | None) -> None:
    """Refuse points where there is nothing to give them for, and demand them where there is."""
    word = _word(badge.called)
    if badge.kind in {_HEADSTART, _FORMATION}:
        if not points:
            guesses = dict.fromkeys(guess for tier in tiers for guess in tier.points)
            raise InvalidRequestError.say(
                "nobody knows how many points {badge} brings (sources guess {guesses}): say how"
                " many, as in {word}:{points}",
                badge=badge.called,
                guesses=", ".join(map(str, guesses)),
                word=word,
                points=next(iter(guesses)),
            )
    elif points is not None:
        raise InvalidRequestError.say(
            "{badge} takes no number: write {word} without :{number}",
            badge=badge.called,
            word=word,
            number=points,
        )


def _tier_word(tier: Tier) -> str:
    """What a tier is called in the language that is spoken, as it is typed."""
    words = [word for word, known in _TIERS.items() if known is tier]
    return words[-1] if spoken().code == "de" else words[0]


@cache
def _tiers(key: str) -> tuple[Badge, ...]:
    """The entries of a badge in the catalogue, one for each tier."""
    return tuple(badge for badge in known_badges() if _word(badge.name) == key)


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
