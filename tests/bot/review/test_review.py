import json
import random
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from math import fsum
from pathlib import Path

import pytest

from bot.review.moments import Judgement, Kind, Mark, effective_steps, read_events
from bot.review.review import Review, accuracy, lessons_of, review
from bot.review.worth import Worth
from bot.table import commands
from bot.table.events import Begun, Corrected, Event, Kept, Replaced, Rolled, Undone
from bot.table.fold import apply, begin, fold
from bot.table.state import Game, Stage
from bot.views.review import review_cards, review_data, review_text
from solver.errors import FarkleError, IllegalActionError, InvalidRequestError
from solver.game.best import Strategy
from solver.game.position import Position
from solver.game.sweeps import solve
from solver.play.advice import advise, odds
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Roll, dice_set, set_asides
from solver.turn.equations import Decision
from tests.conftest import SOLVED, mostly_slow, variant
from tests.house_rules import ONE_BY_ONE

NAMES = ["ann", "bob"]
ENDINGS = {
    "nothing special",
    "bonus three times",
    "no bank of hot dice",
    "farkle keeps and costs",
    "farkle keeps from an opening",
    "penalty and floor",
    "penalty not below 0",
    "farkle 2 costs everything",
    "lose everything and counts",
    "instant win first",
    "minimum not for the win",
    "final turn, hot dice forced",
    "final turn, bonus",
    "final turn, penalty",
    "final turn, instant win",
    "play-off, opening",
    "caught up, everything",
    "caught up, 100, keeps, penalty",
    "exact, given",
    *(
        f"{ending} {ties}{more}"
        for ending in ("final_turn", "equal_turns")
        for ties in ("earlier", "shared", "played_on")
        for more in ("", " with minimums")
    ),
}
HOUSE = mostly_slow(((name, rules) for name, rules in ONE_BY_ONE if name in ENDINGS), first=1)


def chance(seed: int) -> random.Random:
    return random.Random(seed)


def two(strategy: Strategy) -> Worth:
    """What games of two players are worth."""
    return Worth(lambda _, players: {2: strategy}[players])


class Table:
    """A game that is played by commands."""

    def __init__(self, rules: Ruleset, *, tracked: bool = False, levels: int = 2) -> None:
        self.first: Begun = commands.begin_game("g", rules, [None] * levels, tracked=tracked)
        self.events: list[Event] = []
        self.game: Game = begin(self.first)

    def do(self, events: Sequence[Event]) -> None:
        for event in events:
            self.events.append(event)
            self.game = apply(self.game, event)

    def roll(self, *dice: int) -> None:
        self.do(commands.roll(self.game, self.game.mover, dice))

    def keep(self, *dice: int, bank: bool = False) -> None:
        self.do(commands.keep(self.game, self.game.mover, dice))
        if bank:
            self.bank()

    def bank(self) -> None:
        self.do(commands.bank(self.game, self.game.mover))

    def score(self, points: int) -> None:
        ending = "bank" if points else "farkle"
        self.do(commands.score(self.game, self.game.mover, points, ending))  # type: ignore[arg-type]

    def throw(self, rng: random.Random) -> None:
        self.roll(*(rng.randint(1, 6) for _ in range(self.game.turn.dice)))

    def review(self, strategy: Strategy) -> Review:
        return review(two(strategy), self.first, self.events)


Choose = Callable[[Game], tuple[Roll, bool]]


def best(strategy: Strategy) -> Choose:
    """Play as /advise says."""

    def choose(game: Game) -> tuple[Roll, bool]:
        option = advise(strategy, game.position(), game.turn.roll or ()).options[0]
        return option.set_aside, option.action is not Decision.ROLL

    return choose


def at_random(rng: random.Random) -> Choose:
    def choose(game: Game) -> tuple[Roll, bool]:
        return rng.choice(set_asides(game.rules, game.turn.roll or ())).dice, rng.random() < 0.6

    return choose


def either(rng: random.Random, *ways: Choose) -> Choose:
    def choose(game: Game) -> tuple[Roll, bool]:
        return rng.choice(ways)(game)

    return choose


def play(table: Table, choose: Choose, rng: random.Random) -> None:
    """Play a game to its end."""
    while not table.game.over:
        if table.game.turn.roll is None:
            table.throw(rng)
        else:
            dice, wants_to_bank = choose(table.game)
            table.keep(*dice)
            if wants_to_bank and table.game.may_bank:
                table.bank()


def disturb(table: Table, rng: random.Random) -> None:
    """One thing of a tracked game that is neither a roll nor a choice, where it is legal."""
    game, rules = table.game, table.game.rules
    points = rng.randint(1, 8) * rules.point_step
    score = rng.randint(0, rules.goal // rules.point_step - 1) * rules.point_step
    ways: list[Callable[[], Sequence[Event]]] = [
        lambda: commands.score(game, game.mover, points, "bank"),
        lambda: commands.score(game, game.mover, 0, "farkle"),
        lambda: commands.skip(game),
        lambda: commands.undo(game, None),
        lambda: commands.correct(
            game, Corrected(seat=rng.randint(0, 1), score=score, moves=rng.random() < 0.3)
        ),
        lambda: [Replaced(seat=game.mover, level="easy")],
    ]
    if rng.random() < 0.02:
        ways = [lambda: commands.resign(game, rng.randint(0, 1))]
    with suppress(FarkleError):
        table.do(rng.choice(ways)())


def gains(found: Review, *kinds: Kind) -> float:
    """The sum of all terms for seat 0."""
    return fsum(
        one.gain if one.seat == 0 else -one.gain
        for one in found.moments
        if not kinds or one.kind in kinds
    )


def assert_adds_up(strategy: Strategy, table: Table) -> Review:
    found = table.review(strategy)
    assert found.result == table.game.shares
    assert found.result is not None
    assert found.result[0] - found.start[0] == pytest.approx(gains(found), abs=1e-9)
    lowest = min(min(seat.score for seat in game.seats) for game in games_of(table))
    if lowest >= strategy.rules.score_floor:
        adjusted = {one.event for one in found.moments if one.kind is Kind.ADJUSTMENT}
        assert {type(table.events[event]) for event in adjusted} <= {Corrected}
    for own in lessons_of(found):
        assert len(own.lessons) <= own.decisions
    changes = read_events(two(strategy), table.first, table.events).changes
    for one in changes:
        change = one.after[one.seat] - one.before[one.seat]
        assert change == pytest.approx(one.luck + one.choice + one.rest, abs=1e-9)
        assert one.choice <= 0
    assert changes[-1].after == pytest.approx(found.result)
    return found


def judgements(found: Review) -> list[Judgement]:
    return [one.judgement for one in found.moments if one.judgement is not None]


# ---- Luck and losses are all there is --------------------------------------------------------


def assert_games_add_up(strategy: Strategy, games: int) -> None:
    rng = chance(20261120)
    for _ in range(games):
        table = Table(strategy.rules)
        play(table, either(rng, best(strategy), at_random(rng)), rng)
        found = assert_adds_up(strategy, table)
        for player, start in zip(found.players, found.start, strict=True):
            other = found.players[1 - player.seat]
            adjusted = start - player.total_loss + other.total_loss
            adjusted += sum(
                one.gain if one.seat == player.seat else -one.gain
                for one in found.moments
                if one.kind is Kind.ADJUSTMENT
            )
            assert player.luck_adjusted_result == pytest.approx(adjusted, abs=1e-9)
        assert {one.kind for one in found.moments} <= {Kind.ROLL, Kind.DECISION, Kind.ADJUSTMENT}


def games_of(table: Table) -> list[Game]:
    game, found = begin(table.first), []
    for event in table.events:
        game = apply(game, event)
        found.append(game)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", SOLVED)
def test_games_of_the_presets_add_up(strategies: dict[str, Strategy], name: str) -> None:
    assert_games_add_up(strategies[name], 3)


@pytest.mark.mostly_slow(6)
@pytest.mark.parametrize("rules", HOUSE)
def test_games_of_house_rules_add_up(kernels: Path, rules: Ruleset) -> None:
    strategy = Strategy(rules, solve(rules, cache=kernels).values, "test")
    assert_games_add_up(strategy, 2)
    rng = chance(7)
    table = Table(rules, tracked=True)
    choose = at_random(rng)
    while not table.game.over:
        if rng.random() < 0.2:
            disturb(table, rng)
        elif table.game.turn.roll is None and table.game.may_bank and rng.random() < 0.5:
            table.bank()
        elif table.game.turn.roll is None:
            table.throw(rng)
        else:
            table.keep(*choose(table.game)[0])
    assert_adds_up(strategy, table)


@pytest.mark.slow
def test_games_told_with_corrections_add_up(strategies: dict[str, Strategy]) -> None:
    rng = chance(3)
    kinds = set[Kind]()
    for _ in range(10):
        table = Table(strategies["facebook"].rules, tracked=True)
        choose = at_random(rng)
        while not table.game.over:
            if rng.random() < 0.2:
                disturb(table, rng)
            elif table.game.turn.roll is None:
                table.throw(rng)
            else:
                dice, wants_to_bank = choose(table.game)
                table.keep(*dice)
                if wants_to_bank and table.game.may_bank:
                    table.bank()
        kinds |= {one.kind for one in assert_adds_up(strategies["facebook"], table).moments}
    assert kinds == set(Kind)


@pytest.mark.slow
def test_luck_is_fair(strategies: dict[str, Strategy]) -> None:
    """Over all rolls there is no luck, neither at the start nor in the middle of a turn."""
    for strategy in strategies.values():
        openings: list[list[Event]] = [[], [Rolled(dice=(6, 5, 4, 4, 1, 1)), Kept(dice=(1, 1))]]
        for opening in openings:
            table = Table(strategy.rules)
            table.do(opening)
            number = table.game.turn.dice
            found = []
            for roll, ways in dice_set(strategy.rules).rolls(number):
                events = [*table.events, Rolled(dice=roll)]
                luck = review(two(strategy), table.first, events).moments[-1]
                assert luck.kind is Kind.ROLL
                found.append(ways / 6**number * luck.gain)
            assert fsum(found) == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize("floor", [-2500, -3000])
def test_scores_below_the_floor_are_an_adjustment(
    strategies: dict[str, Strategy], floor: int
) -> None:
    strategy = strategies["facebook"]
    table = Table(variant("facebook", score_floor=floor), tracked=True)
    table.do([Corrected(seat=0, score=-2800)])
    table.roll(5, 5, 5, 1, 4, 2)
    table.keep(5, 5, 5, 1, bank=True)
    table.do(commands.resign(table.game, 1))
    found = assert_adds_up(strategy, table)
    kinds = [one.kind for one in found.moments]
    assert kinds == [Kind.ADJUSTMENT, Kind.ROLL, Kind.DECISION, Kind.ADJUSTMENT, Kind.RESIGNED]
    counted = strategy.win_probability(Position.of_two(0, -2500 + 600)) - strategy.win_probability(
        Position.of_two(0, -2800 + 600)
    )
    assert found.moments[3].gain == pytest.approx(counted)


# ---- Decisions -------------------------------------------------------------------------------


@pytest.mark.mostly_slow
@pytest.mark.parametrize("name", SOLVED)
def test_the_advice_is_perfect_play(strategies: dict[str, Strategy], name: str) -> None:
    rng = chance(5)
    table = Table(strategies[name].rules)
    play(table, best(strategies[name]), rng)
    found = table.review(strategies[name])
    for player in found.players:
        assert player.decisions > 5
        assert player.total_loss == player.mean_loss == 0
        assert (player.accuracy, player.band, player.worst) == (100, "perfect", ())
    assert found.worst == ()
    assert "No decision cost 0.05 percentage points" in review_text(found, NAMES)


def test_the_example_of_the_literature(strategies: dict[str, Strategy]) -> None:
    table = Table(strategies["facebook"].rules)
    table.roll(6, 5, 3, 3, 3, 2)
    table.keep(5, 3, 3, 3, bank=True)
    [judged] = judgements(table.review(strategies["facebook"]))
    # 50 points cannot be banked
    assert judged.options == 5
    assert (judged.chosen.set_aside, judged.chosen.action) == ((5, 3, 3, 3), Decision.BANK)
    assert (judged.best.set_aside, judged.best.action) == ((5,), Decision.ROLL)
    assert judged.chosen.win_probability == pytest.approx(0.509711, abs=6e-7)
    assert judged.best.win_probability == pytest.approx(0.511005, abs=6e-7)
    assert judged.best.farkle_probability == pytest.approx(600 / 7776)
    assert judged.mark is None
    assert judged.position == Position.of_two()


def at(strategy: Strategy, own: int, other: int) -> Table:
    """A game with these scores."""
    table = Table(strategy.rules, tracked=True)
    table.do(commands.correct(table.game, Corrected(seat=0, score=own)))
    table.do(commands.correct(table.game, Corrected(seat=1, score=other)))
    return table


@pytest.mark.parametrize(
    ("own", "other", "kept", "bank", "mark"),
    [
        # a bank that would win is passed over, or given away for 300 points
        (9650, 9900, (5,), False, Mark.BLUNDER),
        (9650, 9900, (3, 3, 3), True, Mark.BLUNDER),
        (9650, 9900, (5, 3, 3, 3), True, None),
        # just below and above the bounds
        (8450, 9000, (3, 3, 3), True, None),  # 0.046
        (8450, 9500, (3, 3, 3), True, Mark.INACCURACY),  # 0.054
        (9100, 9500, (5, 3, 3, 3), True, Mark.INACCURACY),  # 0.099
        (9100, 9500, (3, 3, 3), True, Mark.MISTAKE),  # 0.107
        (9100, 9900, (5, 3, 3, 3), True, Mark.BLUNDER),  # 0.186
        (0, 0, (5, 3, 3, 3), True, None),
    ],
)
def test_blunders_are_marked(
    strategies: dict[str, Strategy],
    own: int,
    other: int,
    kept: Roll,
    bank: bool,
    mark: Mark | None,
) -> None:
    strategy = strategies["facebook"]
    table = at(strategy, own, other)
    table.roll(6, 5, 3, 3, 3, 2)
    table.keep(*kept, bank=bank)
    if not bank:
        table.roll(*(6, 4, 3, 3, 2)[: table.game.turn.dice])
    found = table.review(strategy)
    [judged] = judgements(found)
    advice = advise(strategy, Position.of_two(own, other), (6, 5, 3, 3, 3, 2))
    assert judged.best.win_probability == advice.win_probability
    points = next(one for one in advice.options if one.set_aside == kept).turn_total
    state = Position.of_two(own, other, points, dice=6 - len(kept))
    answer = odds(strategy, state)
    value = answer.bank if bank else answer.roll
    assert judged.chosen.win_probability == value
    assert judged.mark is mark
    player = found.players[0]
    assert player.blunders == (mark is Mark.BLUNDER)
    assert player.mistakes == (mark is Mark.MISTAKE)
    assert player.inaccuracies == (mark is Mark.INACCURACY)
    assert player.total_loss == player.mean_loss == judged.loss


def test_what_was_taken_back_does_not_count(strategies: dict[str, Strategy]) -> None:
    strategy = strategies["facebook"]
    straight, detour = Table(strategy.rules), Table(strategy.rules)
    for table in (straight, detour):
        table.roll(6, 5, 3, 3, 3, 2)
        if table is detour:
            table.keep(3, 3, 3)
            table.do(commands.undo(table.game, 0))
            table.keep(3, 3, 3, bank=True)
            table.do(commands.undo(table.game, 0))
            table.do(commands.undo(table.game, 0))
            # nothing is left to be taken back
            table.do([Undone()])
        table.keep(5, 3, 3, 3)
        table.roll(4, 3)
    expected, found = straight.review(strategy), detour.review(strategy)
    for one, other in zip(expected.players, found.players, strict=True):
        assert replace(one, worst=()) == replace(other, worst=())
    assert [(one.kind, one.gain) for one in found.moments] == [
        (one.kind, one.gain) for one in expected.moments
    ]
    assert [one.event for one in expected.moments] == [0, 2, 2]
    assert [one.event for one in found.moments] == [0, 9, 9]
    [expected_turn] = read_events(two(strategy), straight.first, straight.events).changes
    [turn] = read_events(two(strategy), detour.first, detour.events).changes
    assert turn == replace(expected_turn, event=9)


@pytest.mark.parametrize("changes", [{"throws": 3}, {"throws": 2, "first_throw_tries": 2}])
def test_what_was_taken_back_leaves_no_event(changes: dict[str, int]) -> None:
    """The events that count lead to the game, also where a last throw ends its turn by itself."""
    rng, goal = chance(3), {"goal": 1500}
    for _ in range(20):
        table = Table(variant("kcd", **changes, **goal), tracked=True)
        for _ in range(60):
            if table.game.over:
                break
            if rng.random() < 0.3:
                with suppress(FarkleError):
                    table.do(commands.undo(table.game, None))
            elif table.game.turn.roll is None:
                table.throw(rng)
            else:
                table.keep(*at_random(rng)(table.game)[0])
            start, effective = effective_steps(table.first, table.events)
            found = reduce(apply, (step.event for _, step in effective), start)
            version = table.game.version
            assert replace(found, version=version, before=table.game.before) == table.game


def test_forced_moves_are_not_counted(strategies: dict[str, Strategy]) -> None:
    table = Table(strategies["facebook"].rules)
    table.roll(6, 5, 4, 4, 3, 2)
    table.keep(5)
    table.roll(6, 1, 4, 4, 2)
    table.keep(1)
    table.roll(6, 3, 4, 4)
    found = table.review(strategies["facebook"])
    player = found.players[0]
    # 50 and 150 points cannot be banked yet
    assert (player.decisions, player.forced) == (0, 2)
    assert (player.accuracy, player.band, player.mean_loss) == (None, None, 0)
    assert [one.forced for one in judgements(found)] == [True, True]
    said = review_text(found, NAMES)
    assert "There was no decision to review." in said
    assert "accuracy" not in said, "a row that says nothing"


def test_the_luck_of_turns_told_by_score_is_not_taken_out(strategies: dict[str, Strategy]) -> None:
    table = Table(strategies["kcd"].rules, tracked=True)
    for points in (550, 0, 4000):
        table.score(points)
    found = table.review(strategies["kcd"])
    assert [player.result for player in found.players] == [1, 0]
    assert [player.luck_adjusted_result for player in found.players] == [None, None]
    text = review_text(found, NAMES)
    assert re.findall(r"^  ([a-z].*?, %)", text, re.MULTILINE) == ["turns without rolls, %"]
    assert "\nFor turns told without rolls, nobody can say how much was luck" in text
    assert re.search(r"^  1 +550 \(-0\.20\)  +farkle \(-11\.3[56]\)$", text, re.MULTILINE)
    assert re.search(r"^  2 +4,000 \(\+33\.1[45]\)  +-$", text, re.MULTILINE)
    assert "\n1. ann, turn 2, 4,000 points: from 66.86 % to 100.00 %.\n" in text
    assert "luck of the dice" not in text


def test_who_gives_up_in_the_turn_of_another_changes_nothing_of_it(
    strategies: dict[str, Strategy],
) -> None:
    table = Table(strategies["kcd"].rules, tracked=True)
    table.score(550)
    table.do(commands.resign(table.game, 0))
    found = table.review(strategies["kcd"])
    assert [(one.seat, one.how, one.gain) for one in found.turns[1:]] == [(1, "resigned", 0)]
    assert [one.seat for one in found.swings] == [0]
    assert re.search(r"^  1 +550 \(-0\.20\)  +-$", review_text(found, NAMES), re.MULTILINE)


def test_what_is_undecided_is_not_counted(strategies: dict[str, Strategy]) -> None:
    strategy = strategies["facebook"]
    table = Table(strategy.rules)
    table.roll(6, 5, 3, 3, 3, 2)
    before = table.review(strategy)
    table.keep(3, 3, 3)
    found = table.review(strategy)
    assert judgements(found) == []
    assert found.moments == before.moments
    assert found.result is None
    assert found.now is not None
    assert found.now[0] == pytest.approx(0.506680, abs=6e-7)
    assert [player.luck_adjusted_result for player in found.players] == [None, None]
    assert "not over yet" in review_text(found, NAMES)
    table.do(commands.end(table.game))
    found = table.review(strategy)
    assert (found.result, found.now) == (None, None)
    assert "ended without a result" in review_text(found, NAMES)
    with pytest.raises(IllegalActionError, match="without a result"):
        two(strategy).shares(table.game)


def test_a_decision_after_a_correction_is_to_roll_or_bank(
    strategies: dict[str, Strategy],
) -> None:
    strategy = strategies["facebook"]
    table = at(strategy, 1000, 1000)
    table.roll(6, 5, 3, 3, 3, 2)
    table.keep(5, 3, 3, 3)
    table.do(commands.correct(table.game, Corrected(seat=1, score=5000)))
    table.roll(4, 3)
    [judged] = judgements(table.review(strategy))
    assert (judged.roll, judged.options) == ((), 2)
    expected = odds(strategy, Position.of_two(1000, 5000, 350, dice=2))
    assert expected.bank is not None
    assert judged.loss == pytest.approx(max(expected.bank - expected.roll, 0))
    assert judged.loss > 0
    assert "turn total 350: rolled on with 2 dice at a turn" in review_text(
        table.review(strategy), NAMES
    )


def test_the_accuracy_is_that_of_chess_servers() -> None:
    assert accuracy([0, 0]) == 100
    # 103.1668 exp(-0.04354 d) - 3.1668
    assert accuracy([0.05]) == pytest.approx(79.817, abs=0.001)
    assert accuracy([0, 0.05]) == pytest.approx((100 + 79.817) / 2, abs=0.001)
    assert accuracy([1]) == 0


# ---- Turns and single moments ----------------------------------------------------------------


def test_turns_told_as_a_score(strategies: dict[str, Strategy]) -> None:
    strategy = strategies["facebook"]
    table = Table(strategy.rules, tracked=True)
    table.score(500)
    table.score(0)
    table.do(commands.skip(table.game))
    table.do(commands.resign(table.game, 0))
    found = assert_adds_up(strategy, table)
    kinds = [(one.seat, one.kind) for one in found.moments]
    assert kinds == [
        (0, Kind.TURN),
        (1, Kind.TURN),
        (0, Kind.SKIPPED),
        (0, Kind.RESIGNED),
    ]
    values = [
        strategy.win_probability(Position.of_two()),
        1 - strategy.win_probability(Position.of_two(0, 500)),
        strategy.win_probability(Position.of_two(500, 0, opponent_farkles=1)),
        1 - strategy.win_probability(Position.of_two(0, 500, farkles=1)),
        0.0,
    ]
    assert [one.before[0] for one in found.moments] == pytest.approx(values[:-1])
    assert [one.after[0] for one in found.moments] == pytest.approx(values[1:])
    first, second = found.players
    assert first.told == pytest.approx(values[1] - values[0])
    assert second.told == pytest.approx(values[1] - values[2])
    assert first.given_up == pytest.approx(values[4] - values[2])
    changes = read_events(two(strategy), table.first, table.events).changes
    assert [(one.seat, one.turn, one.how) for one in changes] == [
        (0, 1, "bank"),
        (1, 1, "farkle"),
        (0, 2, "skip"),
        (1, 2, "resigned"),
    ]
    text = review_text(found, NAMES)
    assert "bob won, as ann resigned." in text
    assert "turns without rolls" in text
    assert "given up" in text


def test_a_correction_between_turns_belongs_to_none(strategies: dict[str, Strategy]) -> None:
    strategy = strategies["facebook"]
    table = Table(strategy.rules, tracked=True)
    table.score(500)
    table.do(commands.correct(table.game, Corrected(seat=0, score=5000)))
    table.score(500)
    table.do(commands.correct(table.game, Corrected(seat=1, moves=True)))
    table.score(300)
    changes = read_events(two(strategy), table.first, table.events).changes
    assert [(one.seat, one.turn) for one in changes] == [(0, 1), (1, 1), (1, 2)]
    expected = [strategy.win_probability(Position.of_two(score, 5000)) for score in (0, 500)]
    assert [one.before[1] for one in changes[1:]] == pytest.approx(expected)


def test_win_probability_at_any_moment(strategies: dict[str, Strategy]) -> None:
    strategy = strategies["facebook"]
    table = Table(strategy.rules)
    start = strategy.win_probability(Position.of_two())
    assert two(strategy).shares(table.game) == (start, 1 - start)
    table.roll(6, 5, 3, 3, 3, 2)
    advice = advise(strategy, Position.of_two(), (6, 5, 3, 3, 3, 2))
    assert two(strategy).shares(table.game)[0] == advice.win_probability
    table.keep(5)
    between = odds(strategy, Position.of_two(turn_total=50, dice=5)).win_probability
    assert two(strategy).shares(table.game)[0] == between
    table.roll(6, 4, 4, 3, 2)
    second = strategy.win_probability(Position.of_two(opponent_farkles=1))
    assert two(strategy).shares(table.game) == (1 - second, second)
    table.do(commands.resign(table.game, 0))
    assert two(strategy).shares(table.game) == (0, 1)


def test_hot_dice_that_must_be_rolled(strategies: dict[str, Strategy]) -> None:
    rules = variant("facebook", hot_dice="no_bank")
    strategy = Strategy(rules, strategies["facebook"]._values, "not solved for these rules")
    table = Table(rules)
    table.roll(1, 1, 1, 5, 5, 5)
    table.keep(1, 1, 1, 5, 5, 5)
    position = Position.of_two(turn_total=1500, dice=6, hot_dice=1)
    assert two(strategy).shares(table.game)[0] == odds(strategy, position).roll


def test_nobody_plays_alone(strategies: dict[str, Strategy]) -> None:
    strategy = strategies["facebook"]
    table = Table(strategy.rules, levels=1)
    for ask in (
        lambda: table.review(strategy),
        lambda: two(strategy).shares(table.game),
        lambda: read_events(two(strategy), table.first, table.events).changes,
    ):
        with pytest.raises(InvalidRequestError, match="two players or more"):
            ask()
    table = Table(strategy.rules, levels=1)
    table.do(commands.join(table.game, "easy"))
    table.roll(6, 5, 3, 3, 3, 2)
    found = table.review(strategy)
    assert found.start[0] == strategy.win_probability(Position.of_two())
    assert [one.event for one in found.moments] == [1]


# ---- Views -----------------------------------------------------------------------------------


def test_the_review_as_text(strategies: dict[str, Strategy]) -> None:
    strategy = strategies["facebook"]
    table = at(strategy, 9650, 9900)
    table.roll(6, 5, 3, 3, 3, 2)
    table.keep(3, 3, 3, bank=True)
    table.roll(5, 5, 3, 3, 6, 1)
    table.keep(5, bank=False)
    table.roll(1, 1, 2, 3, 4)
    table.keep(1, 1, bank=False)
    table.roll(5, 6, 4)
    table.keep(5, bank=True)
    assert table.game.stage is Stage.OVER
    text = review_text(assert_adds_up(strategy, table), NAMES)
    assert text.startswith(
        "facebook rules, ann 9,950, bob 10,200: bob won.\n"
        "At the start the chances were 53.49 % for ann to 46.51 % for bob.\n\n"
    )
    assert (
        "1. ann, turn 1, 9,650 to 9,900: rolled 6 5 3 3 3 2, kept 3 3 3 and banked 300."
        " Better: keep 5 3 3 3 and bank 350. Cost " in " ".join(text.split())
    )
    assert "a blunder" in text


@pytest.mark.slow
def test_the_review_is_narrow_and_plain_data(strategies: dict[str, Strategy]) -> None:
    rng = chance(11)
    names = ["Bartholomäus the Magnificent of Nowhere", "bob"]
    for name in SOLVED:
        strategy = strategies[name]
        table = Table(strategy.rules)
        play(table, at_random(rng), rng)
        found = table.review(strategy)
        text = review_text(found, names)
        assert max(map(len, text.split("\n"))) <= 79
        data = json.loads(json.dumps(review_data(found, names)))
        assert data["rules"] == name
        assert [player["name"] for player in data["players"]] == names
        for player, given in zip(found.players, data["players"], strict=True):
            worst = [data["moments"][k] for k in given["worst"]]
            assert [one["gain"] for one in worst] == [one.gain for one in player.worst]
            assert [one["judgement"]["loss"] for one in worst] == [
                -one.gain for one in player.worst
            ]
        first, *others = review_cards(found, ["ann", "bob"])
        assert "accuracy" in first.text
        costly = [one for one in found.worst if -one.gain >= 0.0005]
        assert len(others) == len(costly) > 0
        for card, moment in zip(others, costly, strict=True):
            assert f"turn {moment.turn}" in card.text
            assert moment.judgement is not None
            roll = " ".join(map(str, moment.judgement.roll))
            assert [one.description for one in card.attachments] == [
                f"Rolled {roll}, set aside {' '.join(map(str, moment.judgement.best.set_aside))}"
            ][: bool(roll)]


def test_a_tie_that_is_shared(kernels: Path) -> None:
    rules = dict(ONE_BY_ONE)["final_turn shared"]
    strategy = Strategy(rules, solve(rules, cache=kernels).values, "test")
    table = Table(rules, tracked=True)
    table.score(400)
    table.score(400)
    found = assert_adds_up(strategy, table)
    assert found.result == (0.5, 0.5)
    assert fold(table.first, table.events).shares == found.result
    assert "a tie, half a win for each" in review_text(found, NAMES)
