"""What a program gets that asks the package: the same chances however they are asked for."""

import io
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import FrozenInstanceError
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bot.settings import CHECKOUT
from bot.shell import first_solve
from farkle_advisor import (
    FarkleError,
    Game,
    InvalidDiceError,
    InvalidPositionError,
    InvalidRequestError,
    InvalidRollError,
    InvalidRulesError,
    Ruleset,
    SolveError,
    duel,
    load_rules,
    points,
    solve,
)
from solver.game.standings import Solution
from solver.rules.ruleset import FarklePenalty
from solver.strategy import save_strategy
from tests import naive
from tests.conftest import rules_file
from tests.farkle_advisor import script

SMALL = {"goal": 300, "dice": 3}


@pytest.fixture(autouse=True)
def _solved(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FARKLE_DATA", str(data))


@pytest.fixture
def folder(tmp_path: Path, kernels: Path) -> Path:
    """A folder in which nothing is solved."""
    (tmp_path / "kernels").symlink_to(kernels)
    return tmp_path


@pytest.fixture(
    params=[
        "two",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("three", "loaded", "all loaded")),
    ]
)
def game(request: pytest.FixtureRequest, folder: Path) -> Game:
    """A small game of three dice, of each kind that there is."""
    rules = load_rules("kcd", **SMALL)
    if request.param == "two":
        return solve(rules, data=folder)
    if request.param == "three":
        return solve(rules, players=3, data=folder)
    sets = ["lucky*2,odd", "ordinary*3", "odd*3"]
    return solve(rules, dice=sets if request.param == "all loaded" else sets[:2], data=folder)


def weights(game: Game) -> list[tuple[int, ...]]:
    """The weights of the dice of who is to act, by hand."""
    if game.dice is None:
        return [(1, 1, 1, 1, 1, 1)] * 3
    return [(6, 1, 2, 3, 4, 6), (6, 1, 2, 3, 4, 6), (4, 1, 4, 1, 4, 1)]


def test_the_mean_over_all_rolls_is_what_rolling_is_worth(game: Game) -> None:
    """Die by die, so that each roll comes as often as its dice say."""
    names = ["lucky", "lucky", "odd"] if game.dice else [""] * 3
    dice, mean, farkles = weights(game), 0.0, 0.0
    for faces in product(range(1, 7), repeat=3):
        chance = prod(die[face - 1] / sum(die) for die, face in zip(dice, faces, strict=True))
        roll = ", ".join(f"{face} {name}" for face, name in zip(faces, names, strict=True))
        advice = game.advise(roll if game.dice else faces, me=50)
        mean += chance * advice.win_probability
        farkles += chance * (not advice)
        assert sum(advice.chances) == pytest.approx(1)
        assert len(advice.chances) == game.players
        for option in advice:
            assert option.points == option.turn
            assert Counter(option.faces) <= Counter(faces)
            assert option.cost == advice.win_probability - option.win_probability >= -1e-11
    odds = game.odds(me=50)
    assert odds.roll == pytest.approx(mean, rel=1e-9)
    assert odds.farkle_probability == pytest.approx(farkles, rel=1e-9)
    assert game.value(me=50) == pytest.approx(mean, rel=1e-9)


def test_what_follows_an_option_is_what_it_says(game: Game) -> None:
    roll = "5 odd, 5 2 lucky" if game.dice else "552"
    turn = game.turn(100)
    for option in game.advise(roll, me=100):
        odds = game.odds(100, turn=option.turn, dice=option.left)
        assert odds.win_probability == pytest.approx(option.win_probability, rel=1e-9)
        assert odds.action == option.action
        assert odds.chances == pytest.approx(option.chances, rel=1e-9)
        row, column = turn.totals.tolist().index(option.turn), turn.dice.index(option.left)
        assert turn.value[row, column] == pytest.approx(odds.win_probability, rel=1e-9)
        assert bool(turn.banks[row, column]) == (odds.action != "roll")
        assert game.bank_from(option.left, 100) == turn.bank_from[option.left]
        assert bool(turn.reachable[row, column])


@pytest.mark.slow
def test_values_are_those_of_the_slow_twin(folder: Path) -> None:
    rules = load_rules(rules_file(folder / "tiny.toml"))
    found = naive.value_iteration(rules)
    game, states = solve(rules, data=folder), naive.standings(rules)
    for mine, other in product(states[::7], states[::5]):
        value = game.value(mine[0], other[0], farkles=mine[1], their_farkles=other[1])
        assert value == pytest.approx(found[True, mine, other], abs=1e-8)


def others(game: Game, score: int) -> list[int]:
    return [score] * (game.players - 1)


def one_die(game: Game) -> str:
    return "odd" if game.dice else "1"


IMPOSSIBLE: list[Callable[[Game], object]] = [
    lambda game: game.value(me=10),
    lambda game: game.value(them=others(game, -50)),
    lambda game: game.value(me=300),
    lambda game: game.odds(turn=30, dice=one_die(game)),
    lambda game: game.odds(turn=-50, dice=one_die(game)),
    lambda game: game.odds(dice=one_die(game)),
    lambda game: game.turn(me=310),
    lambda game: game.bank_from(one_die(game), them=others(game, 25)),
    lambda game: game.value(farkles=1),
]
WRONG: list[Callable[[Game], object]] = [
    lambda game: game.odds(turn=50),
    lambda game: game.odds(turn=50, dice=4),
    lambda game: game.odds(turn=50, dice="mice"),
    lambda game: game.advise("5552"),
    lambda game: game.advise("7"),
    lambda game: game.advise([0, 1]),
    lambda game: game.advise(""),
    lambda game: game.value(them=[0] * game.players),
    lambda game: game.value(them=[]),
    lambda game: game.value(began="you"),  # type: ignore[arg-type]
    lambda game: game.bank_from(5),
]


def test_what_cannot_be_is_refused_in_every_kind_of_game(game: Game) -> None:
    given = "5 lucky, 5 odd" if game.dice else "55"
    of_roll: list[Callable[[Game], object]] = [
        lambda one: one.advise(given),
        lambda one: one.advise(given, turn=70),
    ]
    for ask in (*IMPOSSIBLE, *of_roll):
        with pytest.raises(InvalidPositionError, match="cannot be|starts with|leave them|is over"):
            ask(game)
    for ask in WRONG:
        with pytest.raises(FarkleError) as caught:
            ask(game)
        assert len(str(caught.value).splitlines()) == 1


NO_NUMBERS = ["100", 100.0, float("nan"), None, True, [100], np.float64(100), np.array([50, 50])]


@pytest.mark.parametrize("value", NO_NUMBERS, ids=repr)
def test_what_is_no_number_is_refused_by_its_name(game: Game, value: Any) -> None:
    asks: dict[str, Callable[[], object]] = {
        "me": lambda: game.value(value),
        "them": lambda: game.value(them=[value] * (game.players - 1)),
        "turn": lambda: game.odds(turn=value, dice=one_die(game)),
        "farkles": lambda: game.value(farkles=value),
        "their_farkles": lambda: game.value(their_farkles=value),
        "roll": lambda: game.advise([value, 1]),
        "players": lambda: solve("kcd", players=value),
        "hot_dice": lambda: points("kcd", hot_dice=value),
    }
    for name, ask in asks.items():
        with pytest.raises(FarkleError, match=f"^{name}: takes a whole number, not "):
            ask()


def test_other_values_of_a_wrong_kind_are_refused_by_their_names(game: Game) -> None:
    wrong: Any = object()
    asks: dict[str, Callable[[], object]] = {
        "on_board": lambda: game.value(on_board=wrong),
        "their_on_board": lambda: game.value(their_on_board="no"),  # type: ignore[arg-type]
        "began": lambda: game.value(began=wrong),
        "them": lambda: game.value(them=wrong),
        "hot_dice": lambda: game.turn(hot_dice=wrong),
        "dice": lambda: solve("kcd", dice=[wrong]),
        "badges": lambda: solve("kcd", badges="emperor"),  # type: ignore[arg-type]
        "data": lambda: solve("kcd", data=wrong),
        "farkle_cost": lambda: points("kcd", farkle_cost=wrong),
    }
    for name, ask in asks.items():
        with pytest.raises(FarkleError, match=f"^{name}: takes .+, not "):
            ask()
    for folder in ("~nobody-of-this-name/x", "a\0b", b"x"):
        with pytest.raises(InvalidRequestError, match="^data: takes a folder, not "):
            solve("kcd", data=folder)  # type: ignore[arg-type]
    with pytest.raises(InvalidRequestError, match="unknown policy"):
        duel(wrong, "greedy")
    with pytest.raises(TypeError):
        game.value(farkels=1)  # type: ignore[call-arg]


def test_whole_numbers_of_numpy_are_whole_numbers(game: Game) -> None:
    fifty, several = np.int64(50), np.full(game.players - 1, 50)
    assert game.value(fifty, several) == game.value(50, [50] * (game.players - 1))
    assert game.value(np.array(50), iter(several)) == game.value(50, several)


def test_faces_are_given_as_text_as_numbers_or_as_an_array() -> None:
    game = solve("facebook")
    expected = game.advise("6 5 3 3 3 2")
    for roll in ("⚅⚄⚂⚂⚂⚁", 653332, [2, 3, 3, 3, 5, 6], np.array([6, 5, 3, 3, 3, 2])):
        assert game.advise(roll) == expected


@pytest.mark.parametrize("roll", [[-1] * 6, [12, 12, 12], -653332, [111111], b"653332", 0, 7])
def test_a_number_that_is_no_face_is_none(roll: Any) -> None:
    with pytest.raises(InvalidRollError, match="is not a die face: faces are 1 to 6"):
        solve("facebook").advise(roll)


def test_answers_print_as_the_chat_shows_them_and_do_not_change() -> None:
    game = solve("facebook")
    advice = game.advise("653332")
    assert str(advice) == repr(advice) == advice.text
    assert advice == game.advise([2, 3, 3, 3, 5, 6])
    assert advice[0] is advice.best
    assert [one.keep for one in advice[1:]] == ["5 3 3 3", "3 3 3"]
    assert json.dumps(advice[0].chances)
    assert repr(game).startswith("<Game: facebook rules to 10,000 for 2 players")
    with pytest.raises(FrozenInstanceError):
        advice.win_probability = 1.0  # type: ignore[misc]
    farkle = game.advise("4432", turn=200)
    assert not farkle
    assert farkle.best is None
    assert farkle.win_probability == pytest.approx(1 - game.value(their_farkles=1))


def test_a_game_says_who_brings_what(folder: Path) -> None:
    game = solve({"goal": 300}, dice="odd*6", badges=(None, "headstart:50"), data=folder)
    assert " with odd*6 against ordinary*6 and headstart:50; who begins wins " in repr(game)


def test_a_turn_that_no_rolls_lead_to_says_so() -> None:
    game = solve("facebook")
    assert not game.odds(turn=50, dice=2).reachable
    assert game.odds(turn=50, dice=5).reachable


def test_what_some_rules_need_beside_the_scores(folder: Path) -> None:
    rules = load_rules("kcd", **SMALL, opening_minimum=200, ending="equal_turns", ties="shared")
    game = solve(rules, data=folder)
    assert game.value(began="me") == game.value(on_board=False, their_on_board=False)
    assert game.value(began="me") == pytest.approx(1 - game.value(began="them"), abs=0.2)
    assert game.value(began="me") != game.value(began="them")
    assert game.value(on_board=True) > game.value()
    with pytest.raises(InvalidPositionError, match="before the first bank"):
        game.value(50, on_board=False)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ("facebok", InvalidRulesError),
        ("nowhere.toml", InvalidRulesError),
        ({"goal": 75}, InvalidRulesError),
        ({"gaol": 500}, InvalidRulesError),
        (5, InvalidRulesError),
        (None, InvalidRulesError),
    ],
)
def test_rules_that_are_none(given: object, error: type[FarkleError]) -> None:
    with pytest.raises(error):
        solve(given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"players": 1}, InvalidRulesError),
        ({"players": 9}, InvalidRulesError),
        ({"dice": "luky"}, InvalidDiceError),
        ({"dice": ["odd*6"] * 4, "players": 3}, InvalidRequestError),
        ({"dice": ["odd*6"] * 3, "badges": ("emperor", None)}, InvalidRequestError),
        ({"badges": ("no-such-badge", None)}, InvalidRequestError),
    ],
)
def test_what_cannot_be_solved(options: dict[str, object], error: type[FarkleError]) -> None:
    with pytest.raises(error):
        solve("kcd", **options)  # type: ignore[arg-type]
    with pytest.raises(InvalidRulesError):
        solve("facebook", players=3)


def test_rules_are_given_in_four_ways(tmp_path: Path) -> None:
    path = rules_file(tmp_path / "sunday.toml")
    one = load_rules(path)
    assert one == load_rules(str(path)) == load_rules(one)
    assert load_rules(one.model_dump()) == one
    assert load_rules(one, goal=1000).goal == 1000
    assert load_rules(one, goal=1000).name == "sunday-1000"
    changed = load_rules(one, farkle_penalty=None)
    assert (changed.farkle_penalty, changed.score_floor) == (None, 0)
    assert changed.scoring == one.scoring
    assert load_rules(changed, scoring={"single": 10}).scoring.more_of_a_kind == "linear"
    assert isinstance(one, Ruleset)


def test_keys_of_rules_may_be_of_numpy_or_none(tmp_path: Path) -> None:
    single = np.array([100, 0, 0, 0, 50, 0])
    given = {"goal": np.int64(500), "minimum_bank": None, "scoring": {"single": single}}
    assert load_rules(given) == load_rules({"goal": 500})
    changed = load_rules("facebook", scoring={"three_pairs": None}, farkle_penalty={"points": 50})
    assert changed.scoring.three_pairs == 0
    assert changed.scoring.straight_1_6 == load_rules("facebook").scoring.straight_1_6
    assert changed.farkle_penalty == FarklePenalty(in_a_row=3, points=50)
    plain = tmp_path / "rules"
    plain.write_text("goal = 500")
    assert load_rules(plain).goal == 500


def test_a_name_that_is_made_up_never_is_what_is_wrong() -> None:
    long = load_rules({"goal": 500, "name": "x" * 60})
    assert load_rules(long, goal=1000).name == "x" * 55 + "-1000"
    with pytest.raises(InvalidRulesError, match=r"^x+: goal: should be a whole number"):
        load_rules(long, goal="y" * 99)
    with pytest.raises(InvalidRulesError, match=r"^.{60}: name: .{0,200}$"):
        load_rules({"goal": 500, "name": "x" * 9999})


def test_keys_that_leave_something_open_are_refused_as_a_file_is() -> None:
    with pytest.raises(InvalidRulesError, match="say what three of a kind brings"):
        load_rules({"goal": 1000, "scoring": {"single": 0}})
    assert load_rules("facebook", scoring={"single": 0}).scoring.three_of_a_kind[0] == 1000


def test_a_game_that_is_kept_is_not_solved_again(
    tiny: Solution, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_strategy(tiny, folder / "strategies")
    monkeypatch.setattr(first_solve, "solve_with_share", lambda *_, **__: pytest.fail("solved"))
    assert solve(tiny.rules, data=folder).value() == pytest.approx(tiny.values[0, 10, 10])


def test_a_damaged_file_is_solved_anew(tiny: Solution, folder: Path) -> None:
    save_strategy(tiny, folder / "strategies")
    [values] = (folder / "strategies").glob("*.solved")
    content = bytearray(values.read_bytes())
    content[-3] ^= 1
    values.write_bytes(content)
    assert solve(tiny.rules, data=folder).value() == pytest.approx(tiny.values[0, 10, 10])


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.slow
def test_progress_is_shown_in_a_terminal_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    rules = load_rules(rules_file(folder / "tiny.toml"))
    for name, shown, stream in (
        ("a", False, io.StringIO()),
        ("b", False, Terminal()),
        ("c", True, Terminal()),
    ):
        monkeypatch.setattr(sys, "stderr", stream)
        (folder / name).mkdir()
        (folder / name / "kernels").symlink_to(folder / "kernels")
        solve(rules, progress=name != "b", data=folder / name)
        duel("greedy", "cautious", rules=rules, progress=name != "b", data=folder / name)
        said = stream.getvalue()
        assert ("solving tiny for 2 players" in said, "greedy against" in said) == (shown, shown)
        assert shown or not said
    assert capfd.readouterr() == ("", "")


def test_an_interrupt_leaves_nothing_half(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = load_rules(rules_file(folder / "tiny.toml"))
    told = []

    @contextmanager
    def interrupting(
        _: str, *, seconds: float, quietly: bool, sweeps: float
    ) -> Iterator[Callable[[float], None]]:
        def on_progress(share: float) -> None:
            told.append(share)
            signal.raise_signal(signal.SIGINT)

        assert (seconds > 0, quietly, sweeps) == (True, True, 14.0)
        yield on_progress

    handler = signal.getsignal(signal.SIGINT)
    with monkeypatch.context() as patch:
        patch.setattr(first_solve, "share_progress", interrupting)
        with pytest.raises(KeyboardInterrupt):
            solve(rules, data=folder)
    assert len(told) == 1
    assert [path.name for path in (folder / "strategies").iterdir()] == [".lock"]
    assert signal.getsignal(signal.SIGINT) is handler
    assert 0 < solve(rules, data=folder).value() < 1


def test_lack_of_room_is_an_error_of_ours(folder: Path) -> None:
    (folder / "strategies").write_text("a file where the folder should be")
    with pytest.raises(FarkleError) as caught:
        solve(load_rules(rules_file(folder / "tiny.toml")), data=folder)
    assert not isinstance(caught.value, SolveError)


@pytest.mark.slow
def test_two_ways_to_play_share_all_wins(folder: Path) -> None:
    rules = load_rules(rules_file(folder / "tiny.toml"))
    one = duel("optimal", "Greedy", rules=rules, data=folder)
    other = duel("greedy", "optimal", rules=rules, data=folder)
    assert one.beginning == pytest.approx(1 - other.second, abs=1e-9)
    assert one.overall > 0.5 > other.overall
    assert (one.one, one.other) == ("optimal", "greedy")
    with pytest.raises(InvalidRequestError):
        duel("optimal", "clever", rules=rules, data=folder)


def test_a_turn_for_points_costs_what_it_costs() -> None:
    plain, dear = points("kcd"), points("kcd", farkle_cost=500)
    assert dear.points < plain.points
    assert dear.farkle_probability < plain.farkle_probability
    with pytest.raises(InvalidRequestError):
        points("kcd", farkle_cost=-1)
    with pytest.raises(InvalidRollError):
        solve("kcd").advise("six")


def test_a_script_that_uses_it(capsys: pytest.CaptureFixture[str]) -> None:
    script.main()
    assert script.is_fair("greedy")
    kept, farkle, refused, *rest = capsys.readouterr().out.splitlines()
    assert kept.startswith("5 roll roll 0.00")
    assert farkle.startswith("refused: a turn starts with all 6 dice")
    assert refused.startswith("refused: your score cannot be 1,010")
    assert rest == ["facebook-5000", "True"]


@pytest.mark.slow
def test_an_answer_loads_no_front_no_database_and_no_compiler(data: Path) -> None:
    code = (
        "import sys, farkle_advisor; farkle_advisor.solve('kcd').advise('653332');"
        "print(*sorted(name for name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=CHECKOUT,
        env={**os.environ, "FARKLE_DATA": str(data)},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert not loaded & {"discord", "sqlalchemy", "numba", "matplotlib", "click", "bot.fronts"}
    assert done.stderr == ""
