"""What people mean: rules by their name, and a position by its fields.

Every front makes its options of the fields.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum, auto
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bot.services.rule_options import with_goal
from solver.errors import (
    FarkleError,
    InvalidPositionError,
    InvalidRequestError,
    InvalidRollError,
    InvalidRulesError,
    did_you_mean,
    one_of,
)
from solver.game.many import check_players
from solver.game.many_best import last_turns
from solver.game.position import (
    MAX_HOT_DICE,
    MAX_TURN_TOTAL,
    Position,
    check_position,
    is_play_off,
    least_hot_dice,
    most_likely,
)
from solver.game.standings import Standing
from solver.play.advice import PositionId
from solver.rules.file import load_rules, make_rules, preset_names
from solver.rules.ruleset import Ruleset
from solver.rules.toml import NotTomlError, parse
from solver.strategy import all_solved_rules
from solver.turn.dice import Remaining, Roll, TurnState, make_roll, parse_dice
from solver.turn.memory import told_apart, typed_set
from solver.wording import say, say_later, short

if TYPE_CHECKING:
    from bot.services.loaded import LoadedDice
    from bot.store.store import Store

DEFAULT_RULES = "facebook"
KCD = "kcd"
"""The rules that loaded dice are played by unless others are named."""

RULES_SETTING = "rules"
"""Key of the place setting that holds the name of its rules."""

ME_OR_THEM = {say_later("me"): True, say_later("them"): False}
"""What a field of the kind `PLAYER` takes, and what that means."""

MOST_POINTS = 100_000

_DICE = "my-dice", "their-dice"
_WITH_DICE = "my-badge", "their-badge", "joker-alone"

_WORD = r"[^\W\d_][\w'’-]*"
_JOKERS = {"j", "joker", "jokers"}
_SCORE = re.compile(r"0|[+\N{MINUS SIGN}-]?(?:\d{2,}|\d{1,3}(?:[,.']\d{3})+)")
"""Points as they are typed, which are no single die."""


class Situation(NamedTuple):
    """A position as people give it: what they leave out is the start of a turn."""

    banked: int = 0
    opponent: tuple[int, ...] = (0,)
    """The scores of all others, in the order of their turns."""
    turn_total: int = 0
    farkles: int = 0
    opponent_farkles: int = 0
    hot_dice: int | None = None
    """Hot dice in this turn so far; as few as the turn total allows if not given."""
    to_confirm: int | None = None
    """Whether something has to be confirmed; if not given, where that must be so."""
    points_to_confirm: int | None = None
    """Points that have to confirm it yet, where points confirm; as few as can be if not given."""
    throws: int | None = None
    """Throws of this turn so far; as few as the turn total allows if not given."""
    held_set: int | None = None
    """What is held, die by die, such as 222; nothing if not given, where that can be."""
    on_board: bool | None = None
    """Whether the player has banked before; if not given, whether there are points."""
    opponent_on_board: bool | None = None
    began: bool | None = None
    """Whether the player to act began the game; if not given, unless only the opponent can have."""
    before: int | None = None
    """How many of several others had their turn in this round, where it matters; none if not
    given, unless scores tell."""
    to_beat: int = 0
    """What the turn before has banked, where this one has to beat it; 0 for nothing."""
    rounds: int | None = None
    """Rounds left with this one, where the rules count them; all of them if not given at 0 to 0."""
    left: int = 0
    """Points that the player before left, which may be taken over before the first roll."""
    left_dice: int | None = None
    """The dice with which they may."""
    rules: str | Ruleset = DEFAULT_RULES
    """A preset's name, the path of a TOML file, or the rules themselves."""
    dice: "LoadedDice | None" = None
    """What players bring, the player to act first; None where all throw the dice of the rules."""

    @property
    def scores(self) -> tuple[int, ...]:
        """Return the scores of all players, in the order of their turns."""
        return self.banked, *self.opponent

    @property
    def players(self) -> int:
        """How many there are."""
        return len(self.dice.kits) if self.dice else len(self.scores)

    def check_two(self) -> None:
        """Raises InvalidRequestError where more than two players are told of."""
        if len(self.opponent) > 1:
            raise InvalidRequestError.say(
                "this works for two players: them: takes one score here; /advise and /odds take"
                " several"
            )


class FieldKind(Enum):
    """What the value of a field is."""

    NUMBER = auto()
    SCORES = auto()
    """A score, or those of several players."""
    YES_NO = auto()
    PLAYER = auto()
    """The player to act or the other one."""
    RULES = auto()


class PositionField(NamedTuple):
    """One field of a position, as people give it at each front."""

    flags: tuple[str, ...]
    """On the command line: the first is the attribute of `Situation`, the last the chat's name."""
    meaning: str
    """What it means in a chat, marked by `say_later`."""
    kind: FieldKind = FieldKind.NUMBER
    metavar: str | None = None
    """On the command line."""
    least: int = 0
    """The range of numbers that a front may ask for; rules may allow less."""
    most: int = MOST_POINTS
    is_rare: bool = False
    """Whether few rules ask for it."""
    help: str = ""
    """On the command line, where that is not what it means in a chat."""

    @property
    def help_text(self) -> str:
        """Return what it means on the command line, which says by itself what it takes."""
        meaning = re.sub("^(yes or no|me or them): ", "", self.meaning)
        return self.help or f"{meaning[:1].upper()}{meaning[1:]}."

    @property
    def attribute(self) -> str:
        """The attribute of `Situation`, which has its default."""
        return _yes_flag(self.flags[0]).replace("-", "_")

    @property
    def name(self) -> str:
        """The name of the field in a chat."""
        return _yes_flag(self.flags[-1])


def _yes_flag(flag: str) -> str:
    return flag.partition("/")[0].removeprefix("--")


TURN_TOTAL = PositionField(
    ("--turn-total", "--turn"),
    say_later("points set aside in this turn so far"),
    metavar="T",
    most=MAX_TURN_TOTAL,
)
"""The one field that a turn from its start has not."""

POSITION_FIELDS = (
    TURN_TOTAL,
    PositionField(("--banked", "--me"), say_later("your score"), metavar="B", least=-MOST_POINTS),
    PositionField(
        ("--opponent", "--them"),
        say_later("the opponent's score; for several, in turn order, such as 2500,3100"),
        FieldKind.SCORES,
        "D",
        help="The opponent's score; for several: 2500,3100.",
    ),
    PositionField(
        ("--farkles",), say_later("your farkles in a row before this turn"), metavar="F", most=10
    ),
    PositionField(
        ("--opponent-farkles", "--their-farkles"),
        say_later("the opponent's farkles in a row"),
        metavar="E",
        most=10,
    ),
    PositionField(
        ("--rules",),
        say_later("a rule set; facebook if left out"),
        FieldKind.RULES,
        "RULES",
        help="Rule set or TOML file.",
    ),
    PositionField(
        ("--hot-dice",),
        say_later("hot dice so far in this turn, if their bonus changes"),
        metavar="N",
        most=MAX_HOT_DICE,
        help="Hot dice in this turn so far.",
    ),
    PositionField(
        ("--to-confirm/--not-to-confirm",),
        say_later("yes or no: whether something set aside has to be confirmed"),
        FieldKind.YES_NO,
    ),
    PositionField(
        ("--points-to-confirm",),
        say_later("by how many points yet, where points confirm"),
        metavar="P",
        is_rare=True,
    ),
    PositionField(
        ("--throws",),
        say_later("throws of this turn so far, where the rules limit them"),
        metavar="K",
        most=5,
    ),
    PositionField(
        ("--held-set",),
        say_later(
            "the dice that you hold, such as 222, where further ones may match or count with them"
        ),
        metavar="S",
        most=66_666,
        is_rare=True,
    ),
    PositionField(
        ("--on-board/--not-on-board",),
        say_later("yes or no: whether you have banked before"),
        FieldKind.YES_NO,
    ),
    PositionField(
        ("--opponent-on-board/--opponent-not-on-board", "--their-on-board/--their-not-on-board"),
        say_later("yes or no: whether the opponent has"),
        FieldKind.YES_NO,
    ),
    PositionField(
        ("--before",),
        say_later("how many of several others had their turn in this round"),
        metavar="N",
        most=7,
        is_rare=True,
    ),
    PositionField(
        ("--rounds",),
        say_later("rounds left with this one, where the rules count them"),
        metavar="R",
        most=50,
    ),
    PositionField(
        ("--to-beat",),
        say_later("points that the turn before banked, where you have to beat it"),
        metavar="P",
        help="Points that the turn before banked, where this one has to beat it.",
    ),
    PositionField(
        ("--left",),
        say_later("points that the player before left, which you may take over"),
        metavar="L",
        help="Points that the player before left, to be taken over.",
    ),
    PositionField(
        ("--left-dice",),
        say_later("dice that the player before left with them"),
        metavar="N",
        most=10,
    ),
    PositionField(
        ("--began",), say_later("me or them: who began, or begins a play-off"), FieldKind.PLAYER
    ),
)


def has_sets(given: Collection[str], mark: str = "") -> bool:
    """Whether a question is about loaded dice, by the names of the options that it gives.

    mark : what stands before the name of an option where it is typed

    Raises InvalidRequestError where only what goes with loaded dice is given.
    """
    if any(name in given for name in _DICE):
        return True
    if alone := [name for name in _WITH_DICE if name in given]:
        mine, theirs = (f"{mark}{name}" for name in _DICE)
        raise InvalidRequestError.say(
            "{option}: goes with {mine} or {theirs}, such as {given}lucky*3,odd,ordinary*2",
            option=f"{mark}{alone[0]}",
            mine=mine,
            theirs=theirs,
            given=f"{mine}{' ' if mark else ':'}",
        )
    return False


def dice_and_numbers(typed: str) -> tuple[str, tuple[int, ...]]:
    """Dice, and the three numbers after them: turn total, me, them; or all of it and none.

    What may be dice altogether, such as 5 111 111 111, is left as it is. Raises InvalidRequestError
    where dice are followed by more numbers or fewer.
    """
    words = [word.strip(",;[](){}") for word in typed.split()]
    numbers = [word for word in words[-3:] if _SCORE.fullmatch(word)]
    if len(numbers) == 3 and _is_no_roll(*numbers) and _are_dice(words[:-3]):
        return " ".join(words[:-3]), tuple(map(_points, numbers))
    first = next((k for k, word in enumerate(words) if _is_no_roll(word)), len(words))
    others = words[first:]
    if others and others[0] != "0" and _SCORE.fullmatch(others[0]) and _are_dice(words[:first]):
        raise InvalidRequestError.say(
            "after the dice come three numbers, the turn total, your score and the opponent's, as"
            ' in 5 2 350 4200 5000; not "{numbers}"',
            numbers=" ".join(others),
        )
    return typed, ()


def read_faces(typed: str, rules: Ruleset) -> Roll:
    """A roll of at most as many dice as the rules have, which are all alike.

    Raises InvalidRollError, and InvalidRequestError for jokers and names of loaded dice.
    """
    try:
        return parse_dice(typed, most=rules.dice)
    except InvalidRollError:
        _check_unnamed(typed, rules)
        raise


def _check_unnamed(typed: str, rules: Ruleset) -> None:
    """Refuse jokers and names of dice where nobody said that loaded dice are thrown.

    Raises InvalidRequestError.
    """
    if not (words := re.findall(_WORD, typed)):
        return
    from solver.named.names import dice_called  # noqa: PLC0415 - 3 ms, of own dice

    for word in words:
        if word.casefold() in _JOKERS and (faces := rules.scoring.jokers):
            raise InvalidRequestError.say(
                '"{word}": say what a joker shows, which under {rules} rules is {faces}',
                word=short(word),
                rules=rules.name,
                faces=one_of(map(str, faces)),
            )
        if word.casefold() in _JOKERS or (len(word) > 2 and dice_called(word)):
            raise InvalidRequestError.say(
                '"{word}": only loaded dice have jokers and names; say which dice you throw, as in'
                " {option}lucky*3,odd,ordinary*2",
                word=short(word),
                option=f"{_DICE[0]}:",
            )


def _is_no_roll(*words: str) -> bool:
    return bool(set("".join(words)) - set("123456"))


def _are_dice(words: Sequence[str]) -> bool:
    try:
        return bool(words and parse_dice(" ".join(words)))
    except InvalidRollError:
        return False


def _points(typed: str) -> int:
    return int(re.sub("[,.']", "", typed).replace("\N{MINUS SIGN}", "-"))


def rules_of(situation: Situation) -> Ruleset:
    """The rules that are meant. Raises InvalidRulesError."""
    named = situation.rules
    return load_rules(named) if isinstance(named, str) else named


def check_dice_told(dice: int | None, situation: Situation) -> None:
    """Raises InvalidRequestError where the number of dice is left out in the middle of a turn."""
    if dice is None and situation.turn_total:
        raise InvalidRequestError.say(
            "say how many dice are left to roll at a turn total of {turn_total:,}, such as dice:2",
            turn_total=situation.turn_total,
        )


def rolled(situation: Situation, typed: str) -> tuple[Roll, Remaining]:
    """A roll as typed, and the dice that fell. Raises InvalidRollError and InvalidRequestError."""
    if situation.dice:
        return situation.dice.rolled(typed)
    roll = read_faces(typed, rules_of(situation))
    return roll, len(roll)


def left_to_roll(situation: Situation, dice: int | str | None) -> Remaining | None:
    """The dice that are left to roll, where players bring theirs by name; None for all of them.

    Raises InvalidDiceError, and InvalidRequestError where they are not told in a turn.
    """
    if situation.dice:
        text = None if dice is None else str(dice)
        return situation.dice.left(text, situation.turn_total)
    number = None if dice is None else int(dice)
    check_dice_told(number, situation)
    return number


def position_asked(situation: Situation, left: Remaining | None) -> Position:
    """The position that is meant, which of two players may not be possible. Raises FarkleError."""
    if situation.dice:
        return situation.dice.position(situation, left)
    rules = rules_of(situation)
    if len(situation.opponent) > 1:
        return position_of_several(rules, situation, left)
    return position_of(rules, situation, left)


def check_asked(situation: Situation, left: Remaining | None) -> None:
    """Refuse what cannot be asked, before its rules or dice are solved for that.

    left : dice to roll, as `left_to_roll` gives them

    Scores below the rules' own floor are refused as well. Raises FarkleError.
    """
    check_dice_told(left, situation)
    position = position_asked(situation, left)
    if situation.players == 2 and not situation.dice:
        check_position(rules_of(situation), position)


def opened(
    read: PositionId, known: Iterable[Ruleset], solved: Path | None = None
) -> tuple[Ruleset, Position, Roll | None]:
    """The rules of a position, which are among the known ones, the position and what was rolled.

    solved : a folder of strategy files, whose rules are known as well, as they may be of files

    Raises InvalidRequestError where no known rules fit, and InvalidPositionError.
    """
    like = [rules for rules in known if read.is_of(rules)]
    if not like and solved:
        like = [rules for rules in all_solved_rules(solved) if read.is_of(rules)]
    if not like:
        raise InvalidRequestError.say(
            "the rules of the position {id} are not known here; make them with /rules new first",
            id=read.text,
        )
    # rules that have the very goal keep their name
    like.sort(key=lambda rules: rules.goal != read.goal_of(rules))
    for rules in like:
        try:
            meant = with_goal(rules, read.goal_of(rules))
            position, roll = read.position(meant)
            check_position(meant, position)
        except FarkleError as error:
            wrong = error
        else:
            return meant, position, roll
    raise wrong


def position_of(rules: Ruleset, situation: Situation, dice: int | None) -> Position:
    """The position of two players, which may not be possible; dice None are all of them."""
    number = rules.dice if dice is None else dice
    hot_dice = situation.hot_dice
    if hot_dice is None:
        hot_dice = least_hot_dice(rules, situation.turn_total, number)
    turn = TurnState(situation.turn_total, number, hot_dice)
    need = situation.points_to_confirm
    need = situation.to_confirm if need is None else need
    held = situation.held_set
    if held is not None and held < 0:
        raise InvalidPositionError.say(
            "the set that is held is said by its dice, such as 222, not {set}", set=held
        )
    held_set = None if held is None else told_apart(rules, make_roll(map(int, str(held or ""))))
    turn = most_likely(rules, turn, need, situation.throws, held_set)
    position = Position.of_two(
        banked=situation.banked,
        opponent=situation.opponent[0],
        turn_total=situation.turn_total,
        farkles=situation.farkles,
        opponent_farkles=situation.opponent_farkles,
        dice=number,
        hot_dice=hot_dice,
        to_confirm=turn.to_confirm,
        throws=turn.throws,
        held_set=turn.held_set,
        on_board=on_board_of(rules, situation.on_board, situation.banked),
        opponent_on_board=on_board_of(rules, situation.opponent_on_board, situation.opponent[0]),
        began=_began(rules, situation),
        rounds_left=_rounds_left(rules, situation),
        to_beat=situation.to_beat,
    )
    return replace(position, offered=_offered(situation))


def _rounds_left(rules: Ruleset, situation: Situation) -> int:
    """How many rounds are left, as given or at the start of a game. Raises InvalidRequestError."""
    if situation.rounds is not None or not rules.rounds:
        return situation.rounds or 0
    if any(situation.scores):
        raise InvalidRequestError.say(
            "say how many rounds are left with this one, such as rounds:3, as {rules} rules count"
            " them",
            rules=rules.name,
        )
    return rules.rounds


def _offered(situation: Situation) -> TurnState | None:
    """What the player before left, if that is told. Raises InvalidRequestError."""
    if bool(situation.left) != (situation.left_dice is not None):
        raise InvalidRequestError.say(
            "what the player before left are points and dice: give both, such as left:450"
            " left-dice:2"
        )
    return TurnState(situation.left, situation.left_dice) if situation.left_dice else None


def position_of_several(rules: Ruleset, situation: Situation, dice: int | None) -> Position:
    """The position of several players, possible against each of them.

    Raises InvalidPositionError, InvalidRequestError and InvalidRulesError.
    """
    check_players(rules, situation.players)
    here, before = position_of(rules, situation, dice), _before(rules, situation)
    scores = situation.opponent
    # who has points is on the board, whatever is said of the others
    boards = [on_board_of(rules, situation.opponent_on_board or None, points) for points in scores]
    later = len(scores) - before
    for k, (score, on_board) in enumerate(zip(scores, boards, strict=True)):
        began = k < later
        seen = here.change(opponent=score, opponent_on_board=on_board, began=began)
        check_position(rules, seen)
    others = [Standing(*parts) for parts in zip(scores, (0,) * len(scores), boards, strict=True)]
    # in the order of the round, in which the last of them came before the mover
    players = *others[later:], here.own, *others[:later]
    return Position(players, before, here.turn, rounds_left=here.rounds_left)


def as_typed(rules: Ruleset, position: Position) -> Position:
    """Return the position of several that is meant where all is typed of this one that can be.

    Raises what `position_of_several` raises.
    """
    own, *others = (position.players[k] for k in position.in_order)
    goes_on = all(player.score < rules.winning_score for player in position.players)
    situation = Situation(
        banked=own.score,
        opponent=tuple(other.score for other in others),
        turn_total=position.turn_total,
        farkles=own.farkles,
        hot_dice=position.hot_dice,
        to_confirm=position.turn.to_confirm,
        throws=position.turn.throws,
        held_set=int(typed_set(position.turn.held_set) or 0),
        on_board=own.on_board,
        opponent_on_board=all_on_board(others),
        before=position.mover if rules.has_roles and goes_on else None,
        rounds=position.rounds_left or None,
        rules=rules,
    )
    return position_of_several(rules, situation, position.dice)


def as_typed_here(rules: Ruleset, position: Position) -> Position | None:
    """Return the position of a game of several as it is typed; None where that means another."""
    plain = replace(position, waiting=())
    if position.waiting and (
        is_play_off(rules, position) or position.waiting != last_turns(rules, plain)
    ):
        return None
    if not rules.has_roles:
        order = tuple(position.players[k] for k in position.in_order)
        plain = replace(plain, players=order, mover=0)
    try:
        typed = as_typed(rules, plain)
    except FarkleError:
        return None
    return typed if typed == plain else None


def all_on_board(others: Iterable[Standing]) -> bool:
    """Whether some of the others have no points, and all of these are on the board."""
    boards = [other.on_board for other in others if other.score <= 0]
    return bool(boards) and all(boards)


def on_board_of(rules: Ruleset, given: bool | None, score: int) -> bool:
    """Whether a player is on the board, as given or as the score tells."""
    if not rules.has_opening:
        return True
    return score > 0 if given is None else given


def _began(rules: Ruleset, situation: Situation) -> bool:
    """Whether the player to act began, as given or as the scores tell."""
    before = _told_before(situation)
    if situation.began is not None:
        return situation.began
    if before is not None:
        return not before
    # with equal turns the game goes on only if the first to reach the goal began
    goal = rules.winning_score
    return not (rules.has_roles and situation.banked < goal <= situation.opponent[0])


def _told_before(situation: Situation) -> int | None:
    """How many others had their turn in this round, if that is told. Raises InvalidRequestError."""
    others = len(situation.opponent)
    if situation.before is not None and not 0 <= situation.before <= others:
        raise InvalidRequestError.say(
            "of the others {most} can have had their turn in this round at most, not {number}",
            most=others,
            number=situation.before,
        )
    return situation.before


def _before(rules: Ruleset, situation: Situation) -> int:
    """How many of several opponents had their turn in this round, as given or as scores tell.

    Where somebody has reached the goal it is taken that the first after the mover who did began.
    Raises InvalidRequestError.
    """
    reached = [k for k, score in enumerate(situation.opponent) if score >= rules.winning_score]
    if not rules.has_roles:
        return 0
    if (before := _told_before(situation)) is not None:
        return before
    if situation.began is False and not reached:
        raise InvalidRequestError.say(
            "with several players began: takes only me; before:1 says how many of the others had"
            " their turn in this round"
        )
    return len(situation.opponent) - reached[0] if reached else 0


class KnownRules:
    """The rules that a name means in a place: those that ship with the program, and its own."""

    def __init__(self, store: "Store") -> None:
        self._store = store

    @cached_property
    def presets(self) -> dict[str, Ruleset]:
        """The rule sets that ship with the program, by name."""
        return {name: load_rules(name) for name in preset_names()}

    async def resolve(self, place: str, reference: str | None = None, origin: str = "") -> Ruleset:
        """The rules of a name, those that ship with the program first; their names are theirs.

        Those that the place uses if None. That nothing is called so starts with `origin`. Raises
        InvalidRulesError or StoreError.
        """
        _, rules = await self.find(place, reference or await self.default(place), origin)
        return rules

    async def names(self, place: str) -> list[str]:
        """The names of all rules, those that ship with blanks in place of hyphens as well.

        Raises StoreError.
        """
        return [*await self.own(place), *self.presets, *map(_spoken, self.presets)]

    async def several(self, place: str, words: Sequence[str]) -> tuple[Ruleset, ...]:
        """The rules that words name one after the other; a name may be of several words.

        Raises InvalidRulesError or StoreError.
        """
        known = {name.casefold() for name in await self.names(place)}
        longest = max(len(name.split()) for name in known)
        rules, left = [], [*words]
        while left:
            fits = (k for k in range(longest, 1, -1) if " ".join(left[:k]).casefold() in known)
            number = next(fits, 1)
            rules.append(await self.resolve(place, " ".join(left[:number])))
            left = left[number:]
        return tuple(rules)

    async def default(self, place: str) -> str:
        """What resolves to the rules of the place. Raises StoreError."""
        chosen = (await self._store.place_settings(place)).get(RULES_SETTING)
        return chosen if isinstance(chosen, str) and chosen else DEFAULT_RULES

    async def find(self, place: str, name: str, origin: str = "") -> tuple[str, Ruleset]:
        """The rules of a name, after that by which they are found at any time.

        Raises InvalidRulesError, which starts with `origin`, or StoreError.
        """
        wanted = " ".join(name.split())
        if preset := self.presets.get(wanted.lower()):
            return preset.name, preset
        own = await self.own(place)
        if known := same_name(wanted, own):
            return known, read_saved(known, own[known])
        if spoken := self.preset_name(wanted):
            return spoken, self.presets[spoken]
        if file := await self._in_file(wanted, name):
            return file
        names = [*own, *self.presets]
        guess = did_you_mean(short(wanted.lower()), names, say("; /rules lists them"))
        raise InvalidRulesError(
            origin + say('unknown rule set "{name}"', name=short(wanted)) + guess
        )

    def preset_name(self, wanted: str) -> str | None:
        """The name of the rules that ship with the program, typed with blanks or hyphens."""
        folded = wanted.casefold()
        return next((name for name in self.presets if folded in (name, _spoken(name))), None)

    async def own(self, place: str) -> dict[str, str]:
        """The rules that a place has saved, but for those whose name is now that of a preset."""
        saved = await self._store.place_rules(place)
        return {name: text for name, text in saved.items() if name.lower() not in self.presets}

    async def _in_file(self, wanted: str, name: str) -> tuple[str, Ruleset] | None:  # noqa: ARG002
        """The path and the rules of a file, where files may be asked for and it is one."""
        return None


def _spoken(name: str) -> str:
    return name.replace("-", " ")


def same_name(name: str, known: Mapping[str, str]) -> str | None:
    """The name among those known that is the same but for capital letters."""
    folded = unicodedata.normalize("NFC", name).casefold()
    return next((candidate for candidate in known if candidate.casefold() == folded), None)


@lru_cache(maxsize=1000)
def read_saved(name: str, text: str) -> Ruleset:
    """The rules saved under a name. Raises InvalidRulesError."""
    try:
        data = parse(text)
    except (NotTomlError, TypeError):
        raise InvalidRulesError.say(
            "{rules}: the saved rules are damaged; delete them and make them again with /rules new",
            rules=name,
        ) from None
    return make_rules({**data, "name": name}, name)
