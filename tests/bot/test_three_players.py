"""Three players, whose rules are solved: what is answered and told, against the slow twin."""

import csv
import io
import itertools
import re
from collections.abc import Sequence
from math import fsum
from pathlib import Path
from random import Random

import numpy as np
import pytest

from bot.chat.cards import answer_card
from bot.chat.commands import Line
from bot.review.moments import Kind, read_events
from bot.review.review import Review, review
from bot.services.advisor import Advisor
from bot.services.games import News
from bot.services.reckoning import played
from bot.services.situation import Situation
from bot.table import commands
from bot.table.events import Event, Kept, Rolled
from bot.table.fold import apply, begin
from bot.table.state import Game
from bot.views.advice import advice_text
from bot.views.review import review_text
from solver.errors import InvalidRequestError
from solver.game.many_sweeps import solve_many
from solver.game.sweeps import solve
from solver.many_strategy import save_many
from solver.play.advice import Advice
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.rules.writer import rules_toml
from solver.strategy import save_strategy
from solver.turn.dice import set_asides
from tests.bot.cli.test_main import Farkle
from tests.bot.speaking import Chat, open_chat
from tests.conftest import EVERY, only_with_every, variant
from tests.house_rules import small
from tests.naive_many import Game as Twin
from tests.naive_many import State, Value

THREE = small(name="three", goal=250, dice=2)
ENDINGS = {
    "at once": THREE,
    "final turn": small(name="last", goal=150, dice=2, ending="final_turn", ties="shared"),
    "equal turns": small(name="round", goal=150, dice=2, ending="equal_turns"),
    "play-offs": small(name="off", goal=150, dice=2, ending="final_turn", ties="played_on"),
}
NAMES = ["ann", "bob", "carl"]


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory, kernels: Path) -> Path:
    """A folder of rule files, and a folder `strategies` in it for two and three players."""
    folder = tmp_path_factory.mktemp("three")
    for rules in ENDINGS.values():
        (folder / f"{rules.name}.toml").write_text(rules_toml(rules, ""))
        solve_for(folder / "strategies", rules, kernels, 3)
    return folder


def solve_for(strategies: Path, rules: Ruleset, kernels: Path, *players: int) -> None:
    """Write the strategy files of two and of so many players."""
    save_strategy(solve(rules, cache=kernels), strategies)
    for number in players:
        save_many(solve_many(rules, number, cache=kernels), strategies)


@pytest.fixture(scope="module")
def twin() -> Twin:
    game = Twin(THREE, 3)
    assert game.solve() is not None
    return game


def state(*scores: int) -> State:
    """Scores, the mover's first, as the twin has them."""
    return 0, tuple((score, True) for score in scores)


def test_scores_are_typed_with_commas() -> None:
    classic = load_rules("classic")
    for typed, scores in (
        ("2500", (2500,)),
        ("2,500", (2500,)),
        ("2500,3100", (2500, 3100)),
        ("500,300", (500, 300)),
        ("2,500;3,100", (2500, 3100)),
        ("0,50,100", (0, 50, 100)),
        ("0,150", (0, 150)),
    ):
        assert Line((), {"them": typed}).scores("them", classic) == scores
    with pytest.raises(InvalidRequestError, match="several with commas between them"):
        Line((), {"them": "2500,x"}).scores("them", classic)


@pytest.mark.slow
async def test_advice_is_the_twins(solved_chat: Chat, solved: Path, twin: Twin) -> None:
    turn = twin.states_of_turn(state(100, 150, 50))
    rules = f"rules:{solved}/three.toml"
    [reply] = await solved_chat.all(f"ann: /advise 5 1 me:100 them:150,50 {rules}")
    found = {(one["points"], one["dice_left"]): one["chances"] for one in reply.data["options"]}
    expected = {(50, 1): turn[1][1, 0], (100, 1): turn[2][1, 0], (150, 2): turn[3][2, 0]}
    assert found.keys() == expected.keys()
    for option, chances in expected.items():
        assert found[option] == pytest.approx(chances, abs=1e-9)
    best = max(value[0] for value in expected.values())
    assert reply.data["win_probability"] == pytest.approx(best, abs=1e-9)
    assert reply.text.startswith("5 1: you 100, them 150 and 50, three rules\n")
    assert "The others would then win 0.00 % and 0.00 % of the time." in reply.text


@pytest.mark.slow
def test_the_command_line_answers_alike(
    solved: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = f"{solved}/three.toml"
    situation = Situation(banked=100, opponent=(0, 50), rules=file)
    advice = Advisor(solved / "strategies").advise("51", situation)
    assert isinstance(advice, Advice)
    monkeypatch.setenv("FARKLE_DATA", str(solved))
    run = Farkle(monkeypatch, capsys)
    asked = "advise", "51", "--me", "100", "--them", "0,50", "--rules", file
    assert run(*asked) == (0, f"{advice_text(advice)}\n", "")
    status, out, _ = run(*asked, "--csv")
    first, second, *_ = csv.DictReader(io.StringIO(out))
    assert status == 0
    assert first["chances"] == "1.0 0.0 0.0"
    assert second["chances"].split() == list(map(str, advice.options[1].chances))
    status, _, err = run("advise", "51", "--them", "0,x", "--rules", file)
    assert (status, "nor several such as 2500,3100" in err) == (2, True)
    status, out, _ = run("advise", "51", "--them", "0,0,0", "--rules", file)
    assert (status, "These chances are estimates" in " ".join(out.split())) == (0, True)
    # not even the game of two is solved
    other = tmp_path / "other.toml"
    other.write_text(rules_toml(small(name="other", goal=300, dice=2), ""))
    status, out, _ = run("advise", "51", "--them", "0,0", "--rules", str(other))
    assert (status, "These chances are estimates" in " ".join(out.split())) == (0, True)


async def test_odds_are_the_twins(solved_chat: Chat, solved: Path, twin: Twin) -> None:
    turn = twin.states_of_turn(state(0, 150, 100))
    rules = f"rules:{solved}/three.toml"
    [reply] = await solved_chat.all(f"ann: /odds dice:1 turn:100 them:150,100 {rules}")
    assert reply.data["chances"] == pytest.approx(turn[2][1, 0], abs=1e-9)
    assert reply.data["bank_chances"] == pytest.approx(
        twin.handed_on(state(0, 150, 100), (100, True)), abs=1e-9
    )
    [start] = await solved_chat.all(f"ann: /odds them:150,100 {rules}")
    assert start.data["chances"] == pytest.approx(twin.values[state(0, 150, 100)], abs=1e-9)
    assert start.data["bank"] is None


async def test_a_walk_and_an_explanation_are_the_twins(
    solved_chat: Chat, solved: Path, twin: Twin
) -> None:
    rules = f"rules:{solved}/three.toml"
    turn = twin.states_of_turn(state(0, 150, 100))
    for command in ("explore", "explain"):
        [reply] = await solved_chat.all(f"ann: /{command} dice:1 turn:100 them:150,100 {rules}")
        assert reply.data["chances"] == pytest.approx(turn[2][1, 0], abs=1e-9)
        assert "The others would then win" in " ".join(reply.text.split())
    [walk] = await solved_chat.all(f"ann: /explore them:150,100 {rules}")
    steps = {one["action"]: one for one in walk.data["steps"]}
    for action, players in (("sides", (150, 100, 0)), ("meup", (50, 150, 100)),
                            ("themdown", (0, 100, 100))):  # fmt: skip
        there = await solved_chat.answer(f"ann: {steps[action]['command']}")
        assert there.data["position"] == steps[action]["position"]
        assert there.data["chances"] == pytest.approx(twin.values[state(*players)], abs=1e-9)


async def test_what_cannot_be_asked(solved_chat: Chat, solved: Path) -> None:
    rules = f"rules:{solved}/three.toml"
    for line, message in (
        (f"/advise 5 1 me:30 them:150,50 {rules}", "Your score cannot be 30"),
        (f"/advise 5 1 them:150,300 {rules}", "The opponent's score cannot be 300"),
        (f"/advise 5 1 turn:30 them:150,50 {rules}", "The turn total cannot be 30"),
        (f"/odds turn:50 them:150,50 {rules}", "say how many dice are left"),
        (f"/explain turn:50 them:150,50 {rules}", "say how many dice are left"),
    ):
        assert message.lower() in (await solved_chat.say(f"ann: {line}")).lower()
    told = await solved_chat.say(f"ann: /advise 5 1 turn:50 them:150,50 {rules}")
    assert "Note: 2 dice cannot be left at a turn total of 50" in told


@pytest.mark.slow
async def test_what_is_not_solved_for_so_many_is_estimated(solved_chat: Chat, solved: Path) -> None:
    twin = Twin(THREE, 4)
    assert twin.solve() is not None
    turn = twin.states_of_turn(state(0, 50, 50, 50))
    [reply] = await solved_chat.all(f"ann: /advise 5 1 them:50,50,50 rules:{solved}/three.toml")
    assert "chances\n  are estimates" in reply.text
    expected = {50: turn[1][1, 0], 100: turn[2][1, 0], 150: turn[3][2, 0]}
    for option in reply.data["options"]:
        assert sum(option["chances"]) == pytest.approx(1)
        assert option["chances"] == pytest.approx(expected[option["points"]], abs=0.05)


async def test_a_game_is_told_as_the_twin_has_it(
    solved_chat: Chat, solved: Path, twin: Twin
) -> None:
    rules = f"rules:{solved}/three.toml"
    told: list[News] = []
    scores, mover = [0, 0, 0], 0

    async def tell(line: str) -> None:
        for reply in await solved_chat.all(line):
            assert "Estimated" not in reply.text
            assert isinstance(reply.subject, News)
            told.append(reply.subject)

    await tell(f"ann: /track @bob @carl {rules}")
    for points in (100, 0, 150, 50, 200, 50, 100):
        await tell(f"ann: /score {NAMES[mover]} {points or 'farkle'}")
        scores[mover] += points
        mover = (mover + 1) % 3
        in_order = twin.values.get(state(*(scores[(mover + k) % 3] for k in range(3))))
        chances = told[-1].chances
        assert chances is not None
        if in_order is None:
            assert chances.win_probabilities == (1.0, 0.0, 0.0)
            break
        by_seat = [in_order[(seat - mover) % 3] for seat in range(3)]
        assert chances.win_probabilities == pytest.approx(by_seat, abs=1e-9)
    [*_, last] = told
    assert last.chart is not None
    assert last.reviewable
    shown = [turn.win_probabilities for turn in last.chart.turns]
    assert shown == [one.chances.win_probabilities for one in told if one.chances]
    [reply] = await solved_chat.all("ann: /review")
    # what the turns changed by the twin, which adds up for each player with those of the others
    gains = [
        after[seat % 3] - before[seat % 3]
        for seat, (before, after) in enumerate(itertools.pairwise(shown))
    ]
    assert [one.gain for one in reply.subject.turns] == pytest.approx(gains, abs=1e-9)
    for seat, player in enumerate(reply.subject.players):
        assert player.told == pytest.approx(sum(gains[seat::3]), abs=1e-9)
        whole = shown[-1][seat] - shown[0][seat]
        assert player.told + player.others_told == pytest.approx(whole, abs=1e-9)
    said = reply.text
    for label in ("turns without rolls, %", "turns of others, %", "start to end, %"):
        assert f"  {label}  " in said
    for none in ("everything else", "luck of", "accuracy", "decisions", "0.00   0.00   0.00"):
        assert none not in said
    assert re.search(
        r"^  1 +100 \([+-]\d+\.\d\d\) +farkle \(-\d+\.\d\d\) +150 \(", said, re.MULTILINE
    )
    most = max(range(len(gains)), key=lambda k: abs(gains[k]))
    assert f"\n1. {NAMES[most % 3]}, turn {most // 3 + 1}, " in said


async def test_a_hint_looks_at_all(solved_chat: Chat, solved: Path, twin: Twin) -> None:
    await solved_chat.all(f"ann: /track @bob @carl rules:{solved}/three.toml")
    await solved_chat.all("ann: /score 100")
    await solved_chat.all("ann: /roll 5 1")
    [hint] = await solved_chat.all("ann: /hint")
    assert hint.subject.exact
    turn = twin.states_of_turn(state(0, 0, 100))
    best = max([turn[1][1, 0], turn[2][1, 0], turn[3][2, 0]])
    assert hint.subject.advice.win_probability == pytest.approx(best[0], abs=1e-9)
    [advice] = await solved_chat.all("ann: /advise")
    assert advice.data == hint.data
    for subject in (hint.subject, hint.subject.advice, hint.subject.odds):
        card = answer_card(subject)
        assert card is not None
        assert "The others would then win" in card.text
    assert "strongest" not in hint.text + advice.text


def random_game(
    rules: Ruleset, seed: int, resigns: int, players: int = 3
) -> tuple[Game, list[Event]]:
    """A game of people who choose at random, of whom some give up after a while."""
    random = Random(seed)
    game = begin(commands.begin_game("g", rules, [None] * players))
    events: list[Event] = []

    def do(made: Sequence[Event]) -> None:
        nonlocal game
        for event in made:
            events.append(event)
            game = apply(game, event)

    while not game.over:
        if players - game.playing < resigns and len(events) > 5 * (players - game.playing):
            still = [k for k in range(players) if game.seats[k].playing]
            do(commands.resign(game, random.choice(still)))
            continue
        dice = [random.randint(1, 6) for _ in range(game.turn.dice)]
        do([Rolled(dice=tuple(dice))])
        if game.turn.roll is None:
            continue
        kept = random.choice(set_asides(rules, game.turn.roll))
        do([Kept(dice=kept.dice)])
        if game.may_bank and random.random() < 0.5:
            do(commands.bank(game, game.mover))
    return game, events


def assert_adds_up(found: Review) -> None:
    """What luck, choices and all else changed is the result less the start, for every seat."""
    assert found.now is not None
    assert fsum(found.start) == pytest.approx(1, abs=1e-12)
    for player in found.players:
        terms = player.luck, -player.total_loss, player.told, player.given_up
        others = player.others_luck, player.others_choices, player.rest
        changed = found.now[player.seat] - found.start[player.seat]
        assert fsum([*terms, *others]) == pytest.approx(changed, abs=1e-9)
    assert all(moment.gain <= 1e-9 for moment in found.moments if moment.kind == "decision")


@pytest.mark.mostly_slow
@pytest.mark.parametrize("resigns", [0, 1])
@pytest.mark.parametrize("ending", ENDINGS)
def test_luck_and_errors_add_up_for_every_seat(solved: Path, ending: str, resigns: int) -> None:
    rules = ENDINGS[ending]
    worth = Advisor(solved / "strategies").worth(rules)
    first = commands.begin_game("g", rules, [None] * 3)
    for seed in range(4):
        game, events = random_game(rules, seed, resigns)
        found = review(worth, first, events)
        assert found.result == game.shares
        assert_adds_up(found)
        if not resigns:
            # nothing is left over: what a choice leads to is what the next turn begins with
            assert [one.rest for one in found.players] == pytest.approx([0] * 3, abs=1e-9)
        assert review_text(found, NAMES)


def test_luck_is_nothing_on_average_for_every_seat(solved: Path) -> None:
    rules = THREE
    worth = Advisor(solved / "strategies").worth(rules)
    first = commands.begin_game("g", rules, [None] * 3)
    later: list[Event] = [Rolled(dice=(1, 2)), Kept(dice=(1,))]
    for before in ([], later):
        count = 2 - len(before) // 2
        luck = np.zeros(3)
        for number in range(6**count):
            dice = tuple(number // 6**k % 6 + 1 for k in range(count))
            moments = read_events(worth, first, [*before, Rolled(dice=dice)]).moments
            luck += [moments[-1].gain_of(seat) for seat in range(3)]
            assert moments[-1].kind is Kind.ROLL
        assert luck == pytest.approx([0, 0, 0], abs=1e-9)


def test_what_a_choice_costs_is_the_twins(solved: Path, twin: Twin) -> None:
    worth = Advisor(solved / "strategies").worth(THREE)
    first = commands.begin_game("g", THREE, [None] * 3)
    events: list[Event] = [Rolled(dice=(1, 5)), Kept(dice=(5,)), Rolled(dice=(2,))]
    [_, choice, luck] = read_events(worth, first, events).moments
    turn = twin.states_of_turn(state(0, 0, 0))
    best = max([turn[1][1, 0], turn[2][1, 0], turn[3][2, 0]])
    assert choice.before == pytest.approx(best, abs=1e-9)
    # 50 points may be banked, and were not
    banked = twin.handed_on(state(0, 0, 0), (50, True))
    rolls = rolled(twin, turn)
    assert choice.after == pytest.approx(rolls, abs=1e-9)
    assert choice.gain == pytest.approx(rolls[0] - best[0], abs=1e-9)
    assert banked[0] <= best[0]
    assert luck.after == pytest.approx(twin.handed_on(state(0, 0, 0), (0, True)), abs=1e-9)


def rolled(twin: Twin, turn: list[dict[tuple[int, int], Value]]) -> list[float]:
    """The value of rolling one die at 50 points: a 1 and a 5 score, and are hot dice."""
    missed = twin.handed_on(state(0, 0, 0), (0, True))
    parts = [(4 / 6, missed), (1 / 6, turn[3][2, 0]), (1 / 6, turn[2][2, 0])]
    return [fsum(chance * value[k] for chance, value in parts) for k in range(3)]


async def test_bots_play_a_match_of_three(solved_chat: Chat, solved: Path) -> None:
    *_, reply = await solved_chat.all(
        f"ann: /match optimal cautious optimal games:3 rules:{solved}/three.toml"
    )
    games = reply.data["games"]
    assert [one["began"] for one in games] == [0, 1, 2][: len(games)]
    first = games[0]["odds"]
    assert sum(first) == pytest.approx(1)
    assert first == sorted(first, reverse=True)
    if len(games) > 1:
        assert games[1]["odds"] == [first[2], first[0], first[1]]
    assert "Optimal bot 1" in reply.text
    assert sum(reply.data["score"]) == pytest.approx(len(games))


async def test_rules_that_are_not_solved_are_reviewed_by_estimates(
    solved: Path, tmp_path: Path
) -> None:
    async with open_chat(tmp_path) as chat:
        await chat.all(f"ann: /track @bob @carl rules:{solved}/three.toml")
        for name in NAMES:
            await chat.all(f"ann: /score {name} 250")
        [review] = await chat.all("ann: /review")
        assert review.data["within"] > 0
        assert "estimate" in review.text


@pytest.mark.mostly_skipped
@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "games"),
    [
        *(
            pytest.param(rules, 4_000 if EVERY else 1_000, id=ending)
            for ending, rules in ENDINGS.items()
        ),
        pytest.param(variant("kcd", goal=1000), 1_500, id="kcd"),
        pytest.param(variant("classic", goal=1000), 1_500, id="classic", marks=only_with_every),
    ],
)
def test_who_plays_best_wins_as_often_as_the_start_says(
    rules: Ruleset, games: int, tmp_path: Path, kernels: Path
) -> None:
    """Games of three bots, roll by roll at a table, and nothing of the equations."""
    solve_for(tmp_path, rules, kernels, 3)
    advisor = Advisor(tmp_path)
    worth = advisor.worth(rules)
    start = np.array(worth.shares(begin(commands.begin_game("g", rules, [None] * 3))))
    wins = np.zeros(3)
    for number in range(games):
        shares = played(advisor, rules, ("optimal",) * 3, number).game.shares
        assert shares is not None
        wins += shares
    assert np.all(np.abs(wins / games - start) < 4 * np.sqrt(start * (1 - start) / games))


@pytest.mark.slow
def test_four_players_add_up_too(tmp_path: Path, kernels: Path) -> None:
    """Two of four resign, so that it comes to be a game of three and of two."""
    rules = small(name="four", goal=150, dice=2)
    solve_for(tmp_path, rules, kernels, 3, 4)
    worth = Advisor(tmp_path).worth(rules)
    first = commands.begin_game("g", rules, [None] * 4)
    for seed in range(20):
        _, events = random_game(rules, seed, resigns=2, players=4)
        assert_adds_up(review(worth, first, events))


@pytest.mark.slow
async def test_small_rules_are_solved_when_they_are_needed(solved: Path, tmp_path: Path) -> None:
    async with open_chat(tmp_path, needed=60) as chat:
        line = f"ann: /advise 5 1 me:100 them:150,50 rules:{solved}/three.toml"
        first, answer = await chat.all(line)
        assert first.text.startswith("Solving three rules for 3 players first: this takes about ")
        assert "\n" not in first.text
        async with open_chat(tmp_path, solved / "strategies") as other:
            [expected] = await other.all(line)
        assert answer.text == expected.text
        # now it is there
        assert len(await chat.all(line)) == 1
        told = await chat.all(f"ann: /play @bob @carl rules:{solved}/three.toml")
        assert told[0].text.startswith("Solving three rules for 2 players first")
        assert "\nWin probability: ann " in told[-1].text


async def test_what_takes_long_is_not_waited_for(
    solved: Path, tmp_path: Path, kernels: Path
) -> None:
    async with open_chat(tmp_path, needed=0.1) as chat:
        [refused] = await chat.all(f"ann: /advise 5 1 me:100 them:150 rules:{solved}/three.toml")
        assert list(refused.data) == ["error"]
        assert "rules three are not solved yet" in refused.text
        line = f"ann: /advise 5 1 me:100 them:150,50 rules:{solved}/three.toml"
        [rough] = await chat.all(line)
        save_strategy(solve(THREE, cache=kernels), tmp_path / "strategies")
        [answer] = await chat.all(line)
        for reply in (rough, answer):
            assert reply.data["within"] > 0
        near, nearer = rough.data["options"], answer.data["options"]
        assert near != nearer
        assert near[0]["chances"] == pytest.approx(nearer[0]["chances"], abs=0.02)


async def test_what_cannot_be_is_told_before_a_solve(solved: Path, tmp_path: Path) -> None:
    """Where rules would be solved for a question or a game, all else is looked at first."""
    async with open_chat(tmp_path, solved / "strategies") as chat:
        await chat.all(f"ann: /play @bob rules:{solved}/three.toml")
    rules = f"rules:{solved}/three.toml goal:300"
    async with open_chat(tmp_path, needed=60) as chat:
        for line, problem in (
            (f"/play @bob {rules}", "is running here already"),
            (f"/play @ann {rules}", "each player can take only one seat"),
            (f"/play away:1 {rules}", "away: takes 10 to"),
            (f"/track bot {rules}", "bot"),
            (f"/advise 5 1 me:30 them:150,50 {rules}", "your score cannot be 30"),
            (f"/odds turn:50 {rules}", "say how many dice are left"),
            (f"/explain me:30 {rules}", "your score cannot be 30"),
            (f"/explore turn:50 them:50,50 {rules}", "say how many dice are left"),
            (f"/match optimal greedy games:1000 rules:{solved}/three.toml", "games: takes 1 to 99"),
            ("/duel optimal nobody rules:kcd", "nobody"),
        ):
            replies = await chat.all(f"ann: {line}")
            assert len(replies) == 1
            assert list(replies[0].data) == ["error"]
            assert problem in replies[0].text.lower()


@pytest.mark.slow
async def test_of_more_than_two_an_estimate_is_made_ready(solved: Path, tmp_path: Path) -> None:
    async with open_chat(tmp_path, needed=10) as chat:
        first, answer = await chat.all(f"ann: /odds them:150,50 rules:{solved}/three.toml")
        assert first.text.startswith("Solving three rules for 2 players first")
        assert answer.data["within"] > 0
        [first, komi] = await chat.all(f"ann: /komi rules:{solved}/last.toml")
        assert first.text.startswith("Solving last rules for 2 players first")
        assert "error" not in komi.data


async def test_a_hint_says_what_it_looks_at_in_a_play_off(solved_chat: Chat, solved: Path) -> None:
    """It is exact of two who are left and of three, and says nothing else then."""
    await solved_chat.all(f"ann: /track @bob @carl rules:{solved}/off.toml")
    for line in ("/score 150", "/score bob 150", "/score carl 150", "/score 100", "/score bob 50"):
        [*_, hint] = [*await solved_chat.all(f"ann: {line}"), *await solved_chat.all("ann: /hint")]
        assert "strongest opponent" not in hint.text
    await solved_chat.all("ann: /score carl 100")
    [hint] = await solved_chat.all("ann: /hint")
    assert hint.text.splitlines()[1].startswith("you 150, them 150, play-off, you begin")
    assert "strongest opponent" not in hint.text
