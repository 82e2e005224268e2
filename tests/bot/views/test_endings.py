"""What people are told of final turns, play-offs, openings, hot dice and rolls that end a game."""

from pathlib import Path
from typing import Any

import pytest

from bot.chat.commands import Reply
from solver.game.sweeps import solve
from solver.rules.file import load_rules
from solver.strategy import save_strategy
from tests.bot.cli.test_main import Farkle
from tests.bot.speaking import open_chat

SMALL = """
goal = 1000
dice = 4
[scoring]
three_of_a_kind = [500, 200, 300, 400, 500, 600]
"""
GAMES = {
    "last": """
ending = "final_turn"
ties = "shared"
opening_minimum = 200
lose_everything = ["2222"]
instant_win = ["1111"]
""",
    "equal": """
ending = "equal_turns"
ties = "played_on"
hot_dice = "no_bank"
hot_dice_bonus = [100, 300]
minimum_bank = 150
minimum_binds_win = false
""",
    "keeps": """
ending = "final_turn"
farkle_keeps_turn_total = true
minimum_bank = 100
""",
}


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory, kernels: Path) -> Path:
    """A data folder with small games and their strategies."""
    folder = tmp_path_factory.mktemp("games")
    for name, keys in GAMES.items():
        path = folder / f"{name}.toml"
        path.write_text(keys + SMALL)
        save_strategy(solve(load_rules(str(path)), cache=kernels), folder / "strategies")
    return folder


class Chat:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def __call__(self, game: str, line: str) -> Reply:
        async with open_chat(self._folder) as chat:
            reply = await chat.answer(f"{line} rules:{self._folder / game}.toml")
        if "error" not in reply.data:
            assert max(map(len, reply.text.splitlines())) < 80, reply.text
        return reply


@pytest.fixture(scope="module")
def chat(games: Path) -> Chat:
    return Chat(games)


@pytest.fixture
def farkle(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], games: Path
) -> Farkle:
    monkeypatch.setenv("FARKLE_DATA", str(games))
    return Farkle(monkeypatch, capsys)


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    ("game", "line", "head"),
    [
        ("last", "/odds me:800 them:1150", "final turn with 350 to beat, 4 dice"),
        ("last", "/odds", "you 0, them 0, neither on the board, 4 dice"),
        ("last", "/odds me:300", "you 300, them 0, them not on the board, 4 dice"),
        ("last", "/odds them:300", "you 0, them 300, not on the board, 4 dice"),
        (
            "last",
            "/odds on-board:YES their-on-board:no",
            "you 0, them 0, on the board, them not on the board",
        ),
        ("last", "/odds me:300 them:300", "you 300, them 300, 4 dice"),
        ("last", "/odds me:300 them:300 began:them", "you 300, them 300, 4 dice"),
        ("equal", "/odds", "you 0, them 0, you began, 4 dice"),
        ("equal", "/odds began:them", "you 0, them 0, they began, 4 dice"),
        ("equal", "/odds me:800 them:1000", "final turn with 200 to beat, 4 dice"),
        ("equal", "/odds me:1100 them:1100", "play-off, you begin, 4 dice"),
        ("equal", "/odds me:1100 them:1100 began:them", "play-off, any points win, 4 dice"),
        ("equal", "/odds me:1100 them:1250", "play-off with 150 to beat, 4 dice"),
        # with or without hot dice: the turn total does not tell
        (
            "equal",
            "/odds turn:500 dice:1 hot-dice:3",
            "total 500, hot dice so far: 1 or more, 1 die",
        ),
        ("equal", "/odds turn:500 dice:1", "total 500, hot dice so far: 0, 1 die"),
        ("equal", "/odds turn:700 dice:3", "total 700, 3 dice"),
        ("equal", "/odds turn:700 dice:4", "total 700, 4 dice"),
    ],
)
async def test_the_head_says_what_the_rules_make_matter(
    chat: Chat, game: str, line: str, head: str
) -> None:
    reply = await chat(game, line)
    assert head in reply.text.replace("\n  ", " ")


@pytest.mark.parametrize(
    ("game", "line", "said"),
    [
        ("last", "/odds me:800 them:1150 turn:350 dice:2", "50.00 %  a tie, half a win for each"),
        ("last", "/odds me:800 them:1150 turn:400 dice:2", "100.00 %  wins the game"),
        ("last", "/odds me:800 them:1150 turn:300 dice:1", "0.00 %  loses the game"),
        ("last", "/odds me:800 them:700 turn:300 dice:1", "1,100 to 700, then they get one final"),
        ("last", "/odds me:300 them:700 turn:300 dice:1", "600 to 700  "),
        ("last", "/odds turn:100 dice:3", "-  100 is below 200, the minimum for a first bank"),
        ("last", "/odds", "-  nothing to bank yet"),
        ("equal", "/odds me:800 them:800 turn:200 dice:2", "1,000 to 800, then they get one final"),
        ("equal", "/odds me:800 them:800 turn:200 dice:2 began:them", "%  wins the game"),
        ("equal", "/odds turn:100 dice:3", "-  100 is below the minimum of 150"),
        ("equal", "/odds me:700 them:1000 turn:100 dice:3", "-  100 is below the minimum of 150"),
        ("equal", "/odds me:900 turn:50 dice:3", "-  50 is below the minimum of 100"),
        ("equal", "/odds turn:700 dice:4", "-  hot dice must be rolled again"),
        ("equal", "/odds me:800 them:1000 turn:300 dice:4", "-  hot dice must be rolled again"),
        ("equal", "/odds me:1100 them:1100 turn:150 dice:2", "then they have one turn to beat it"),
        ("equal", "/odds me:1100 them:1250 turn:150 dice:2", "%  a tie, then a play-off"),
        ("keeps", "/odds me:800 them:1000 turn:200 dice:2", "a tie, which they win: they"),
    ],
)
async def test_what_banking_leads_to(chat: Chat, game: str, line: str, said: str) -> None:
    assert said in (await chat(game, line)).text


async def test_risks_of_a_roll(chat: Chat) -> None:
    reply = await chat("last", "/odds")
    assert "farkle chance 15.74 %, wins 0.08 %, loses all 0.08 %" in reply.text
    assert reply.data["instant_win_probability"] == pytest.approx(6**-4)
    assert reply.data["lose_everything_probability"] == pytest.approx(6**-4)
    fewer = await chat("last", "/odds turn:100 dice:2")
    assert "wins" not in fewer.text
    assert "loses" not in fewer.text


@pytest.mark.parametrize(
    ("game", "line", "said", "fate"),
    [
        ("last", "1 1 1 1", "This roll wins the game.", "wins"),
        (
            "last",
            "2 2 2 2 me:800",
            "This roll loses all your points. Your win probability is now ",
            "loses",
        ),
        ("last", "2 2 2 2 me:800 them:1050", "This roll loses the game.", "loses"),
        ("last", "6 4 3 2", "Farkle: nothing scores. Your win probability is now ", "farkle"),
        (
            "keeps",
            "6 4 turn:150",
            "Farkle: nothing scores, but your 150 points are banked. ",
            "farkle",
        ),
        ("keeps", "6 4 3 turn:50", "Farkle: nothing scores. ", "farkle"),
        ("keeps", "6 4 3 2", "Farkle: nothing scores. ", "farkle"),
    ],
)
async def test_rolls_that_leave_no_choice(
    chat: Chat, game: str, line: str, said: str, fate: str
) -> None:
    reply = await chat(game, line)
    assert reply.text.splitlines()[1].startswith(said)
    assert (reply.data["fate"], reply.data["options"]) == (fate, ())
    assert reply.data["keeps_turn_total"] == ("banked" in said)
    assert reply.text.splitlines()[-1:] == [f"Position {reply.data['id']}"]


async def test_a_kept_turn_total_is_worth_a_bank(chat: Chat) -> None:
    farkle = await chat("keeps", "6 4 turn:150 me:300")
    bank = await chat("keeps", "/odds turn:150 dice:2 me:300")
    assert farkle.data["win_probability"] == bank.data["bank"]


async def test_a_final_turn_wins_by_banking_more(chat: Chat) -> None:
    reply = await chat("last", "5 5 5 1 me:800 them:1150")
    assert {o["turn_total"]: o["action"] for o in reply.data["options"]} == {
        600: "win", 500: "win", 200: "roll", 150: "roll", 100: "roll", 50: "roll",
    }  # fmt: skip
    before = await chat("last", "5 5 5 1 me:800 them:900")
    best = before.data["options"][0]
    assert best["action"] == "bank"
    assert best["win_probability"] < 1


async def test_hot_dice_so_far_change_the_bonus(chat: Chat) -> None:
    first = await chat("equal", "5 1 1 1")
    assert first.data["options"][0]["points"] == 650
    later = await chat("equal", "5 1 1 1 turn:700")
    assert later.data["position"]["hot_dice"] == 1
    assert 850 in {option["points"] for option in later.data["options"]}
    none = await chat("equal", "/odds hot-dice:1")
    assert "hot dice cannot be 1 at the start of a turn" in none.text


async def test_who_is_on_the_board_changes_the_odds(chat: Chat) -> None:
    off = await chat("last", "/odds them:500")
    on = await chat("last", "/odds them:500 on-board:yes")
    assert off.data["position"]["on_board"] is False
    assert off.data["win_probability"] < on.data["win_probability"]
    refused = await chat("last", "/odds me:300 on-board:0")
    assert "Your score cannot be 300 before the first bank" in refused.text


async def test_who_began_follows_from_a_score_at_the_goal(chat: Chat) -> None:
    given = await chat("equal", "/odds me:800 them:1000 began:them")
    assert given.data == (await chat("equal", "/odds me:800 them:1000")).data
    assert given.data["position"]["began"] is False
    refused = await chat("equal", "/odds me:800 them:1000 began:me")
    assert "who did not begin wins at once" in refused.text


def test_the_command_line_takes_the_whole_position(farkle: Farkle, games: Path) -> None:
    def position(*options: str) -> Any:
        ask = ("advise", "5", "1", "2", "--turn", "700", "--rules", str(games / "equal.toml"))
        found: dict[str, Any] = farkle.json(*ask, *options)["position"]
        return {key: found[key] for key in ("hot_dice", "on_board", "opponent_on_board", "began")}

    assert position() == {
        "hot_dice": 1, "on_board": True, "opponent_on_board": True, "began": True,
    }  # fmt: skip
    assert position("--began", "them", "--hot-dice", "2", "--not-on-board") == {
        "hot_dice": 2, "on_board": True, "opponent_on_board": True, "began": False,
    }  # fmt: skip
    last = ("advise", "5122", "--rules", str(games / "last.toml"))
    for options, own, their in (
        ((), False, False),
        (("--on-board", "--opponent-on-board"), True, True),
        (("--on-board", "--their-not-on-board"), True, False),
        (("--not-on-board", "--their-on-board"), False, True),
    ):
        found = farkle.json(*last, *options)["position"]
        assert (found["on_board"], found["opponent_on_board"]) == (own, their)
    status, _, err = farkle(*last, "--began", "you")
    assert (status, "'you' is not one of 'me', 'them'" in err) == (2, True)


def test_turn_tables_at_the_end_of_a_game(farkle: Farkle, games: Path) -> None:
    ask = ("turn", "--table", "--rules", str(games / "last.toml"), "--me", "800", "--them")
    lines = farkle(*ask, "1150")[1].splitlines()
    assert lines[0] == "you 800, them 1,150, final turn with 350 to beat, last rules"
    assert lines[-1].split() == ["350", "84.182", "72.222", "55.556", "50.000B"]
    beyond = farkle(*ask, "900")[1].splitlines()
    assert "B: bank, else roll; ·: cannot occur" in beyond
    assert any(line.split()[:1] == ["300"] for line in beyond)


def test_turn_tables_after_hot_dice(farkle: Farkle, games: Path) -> None:
    ask = ("turn", "--table", "--rules", str(games / "equal.toml"), "--me", "500")
    first = farkle(*ask)[1].splitlines()
    then = farkle(*ask, "--hot-dice", "1")[1].splitlines()
    assert first[0] == "you 500, them 0, you began, equal rules"
    assert then[0] == "you 500, them 0, you began, hot dice so far: 1 or more, equal rules"
    assert first[1] == then[1]
    # hot dice must be rolled
    assert first[4].split()[0] == then[4].split()[0] == "never"
    marks = "B: bank, else roll; ·: cannot occur"
    first, then = (lines[lines.index(marks) + 2 :] for lines in (first, then))
    assert first[0].split()[0] == "0"
    assert then[0].split() == ["300", "85.654", "·", "·", "·"]
    assert not any("B" in line[:17] for line in first + then)
    found = farkle.json(*ask, "--hot-dice", "1")
    assert found["rules"] == "equal"
    assert found["position"]["hot_dice"] == 1
    status, _, err = farkle(*ask, "--hot-dice", "-1")
    assert (status, "hot dice cannot be -1" in err) == (2, True)


@pytest.mark.slow
def test_solves_are_reported_and_verified(farkle: Farkle, games: Path) -> None:
    for name, values in (("last", 21**2), ("equal", 2 * 20**2)):
        report = farkle.json("solve", str(games / f"{name}.toml"), "--out", str(games / "again"))
        assert (report["rules"], report["values"]) == (name, values)
        content = Path(report["file"]).read_bytes()
        assert len(content) == report["bytes"]
        assert len(content.partition(b"\n")[2]) == 8 * values
        shown = farkle.json("rules", "show", str(games / f"{name}.toml"))
        assert shown["states"] == report["states"]
        status, out, _ = farkle("solve", "--verify", report["file"])
        assert (status, f"is whole: {name} rules" in out) == (0, True)


async def test_farkles_that_keep_the_turn_total_are_no_loss(chat: Chat) -> None:
    reply = await chat("keeps", "/advise 6 4 3 5 endings:yes")
    assert "  5  farkle that loses it all " in reply.text
