"""What is worth a word, against a tally that is kept turn by turn."""

import random
from collections import defaultdict

import pytest

from bot.review.highlights import ChartPoint, Feat, GameChart, Highlight, highlight, moment_dice
from bot.table import commands
from bot.table.events import Banked, Event, Kept, Rolled, Scored, Undone
from bot.table.fold import apply, begin, steps
from bot.table.state import Game, Stage
from solver.rules.file import load_rules
from solver.turn.dice import set_asides


def after(game: Game, *events: Event) -> Game:
    for event in events:
        game = apply(game, event)
    return game


def step(chance: random.Random, game: Game) -> list[Event]:
    """What a reckless player does next."""
    if game.turn.roll is not None:
        [*kept] = commands.keep(game, game.mover, set_asides(game.rules, game.turn.roll)[0].dice)
        return [*kept]
    if game.may_bank and chance.random() < 0.4:
        return [Banked()]
    return [Rolled(dice=tuple(chance.choices(range(1, 7), k=game.turn.dice)))]


@pytest.mark.slow
@pytest.mark.parametrize(
    "players", [2, *(pytest.param(number, marks=pytest.mark.slow) for number in (3, 5))]
)
def test_whole_games(players: int) -> None:
    """Each feat is told when a tally says so, the rarest of several."""
    chance, rules = random.Random(players), load_rules("classic")
    seen = set()
    for number in range(15 if players == 2 else 30):
        game = begin(commands.begin_game(f"{number:x}", rules, [None] * players))
        history: list[Event] = []
        scored: dict[int, list[bool]] = defaultdict(list)
        aside: list[int] = []
        while game.stage in {Stage.LOBBY, Stage.PLAY}:
            events = step(chance, game)
            following = after(game, *events)
            history += events
            expected: list[Highlight] = []
            [event] = events
            aside += event.dice if isinstance(event, Kept) else ()
            if isinstance(event, Kept) and len(event.dice) == game.turn.dice:
                expected.append(Highlight(Feat.HOT_DICE, game.mover, game.turn.hot_dice + 1))
            if isinstance(event, Kept) or following.turn.roll:
                pass
            else:
                own = scored[game.mover]
                own.append(isinstance(event, Banked))
                run = next((k for k, one in enumerate(own[::-1]) if one != own[-1]), len(own))
                if isinstance(event, Banked) and game.turn.turn_total >= 2000:
                    expected.append(Highlight(Feat.BIG_TURN, game.mover, game.turn.turn_total))
                if isinstance(event, Rolled) and len(event.dice) >= 5:
                    expected.append(Highlight(Feat.MANY_DICE, game.mover, len(event.dice)))
                if following.stage is Stage.PLAY and own[-1] and run % 5 == 0:
                    expected.append(Highlight(Feat.GOOD_RUN, game.mover, run))
                if following.stage is Stage.PLAY and not own[-1] and run >= 3:
                    expected.append(Highlight(Feat.BAD_RUN, game.mover, run))
            expected.sort(key=lambda one: one.feat.value)
            found = highlight([*steps(game, events)], history)
            assert found == (expected[0] if expected else None)
            seen |= {found.feat} if found else set()
            if found:
                dice = {Feat.HOT_DICE: aside[-6:], Feat.BIG_TURN: aside}.get(found.feat, [])
                assert moment_dice(history, found.feat, 6) == tuple(dice)
            if following.last is not game.last:
                aside = []
            game = following
    assert seen == set(Feat) - {Feat.COMEBACK, Feat.WON_GAMES}


def test_a_comeback_is_told_of_who_wins() -> None:
    rules = load_rules("kcd").model_copy(update={"goal": 1000})
    game = begin(commands.begin_game("ab", rules, [None, None], tracked=True))
    history = [Scored(points=500), Scored(points=0), Scored(points=600)]
    shares = [(0.5, 0.5), (0.07, 0.93), (0.2, 0.8), (1.0, 0.0)]
    chart = GameChart(
        ("a", "b"), tuple(ChartPoint(str(k), one, (0, 0)) for k, one in enumerate(shares))
    )
    last = [*steps(game, history)][2:]
    found = highlight(last, history, chart)
    assert found == Highlight(Feat.COMEBACK, 0, 0.07)
    mirrored = GameChart(chart.names, tuple(
        ChartPoint(one.label, one.win_probabilities[::-1], (0, 0)) for one in chart.turns[:-1]
    ))  # fmt: skip
    assert highlight(last, history, mirrored) is None
    assert highlight(last, history, mirrored, won=2) is None
    streak = highlight(last, history, mirrored, won=3)
    assert streak == Highlight(Feat.WON_GAMES, 0, 3)


def test_no_dice_of_a_turn_in_which_something_was_taken_back() -> None:
    moves: list[Event] = [Rolled(dice=(1, 5, 2, 2, 3, 4)), Kept(dice=(5, 1))]
    again: list[Event] = [Rolled(dice=(1, 1, 1, 5)), Kept(dice=(5, 1, 1, 1))]
    for feat in Feat:
        shown = (5, 1, 5, 1, 1, 1) if feat in {Feat.HOT_DICE, Feat.BIG_TURN} else ()
        assert moment_dice([*moves, *again], feat, 6) == shown
        assert moment_dice([*moves, Undone(), *moves[1:], *again], feat, 6) == ()


def test_what_is_taken_back_is_no_feat() -> None:
    rules = load_rules("classic")
    game = begin(commands.begin_game("ab", rules, [None, None], tracked=True))
    events = [Scored(points=2500)]
    history: list[Event] = [*events, Undone()]
    banked, undone = steps(game, history)
    assert highlight([banked], events) == Highlight(Feat.BIG_TURN, 0, 2500)
    assert highlight([undone], history) is None


def test_throws_that_are_thrown_again_are_no_farkles_in_a_row() -> None:
    begun: list[Event] = [Rolled(dice=(2, 1, 1, 1, 1, 1)), Kept(dice=(1, 1, 1, 1, 1))]
    for tries in (1, 2):
        rules = load_rules("kcd").model_copy(update={"last_die_tries": tries})
        game = begin(commands.begin_game("ab", rules, [None, None]))
        history = [*begun, *[Rolled(dice=(3,))] * tries] * 5
        [*_, last] = steps(game, history)
        assert last.after.seats[0].farkled == 3
        told = Highlight(Feat.BAD_RUN, 0, 3) if tries == 1 else None
        assert highlight([last], history) == told
