import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli.main import farkle
from solver.errors import FarkleError


def run(*arguments: str, data: Path | None = None) -> str:
    folder = {"FARKLE_DATA": str(data)} if data else {}
    result = CliRunner().invoke(farkle, ["kcd", *arguments], env=folder)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_lists() -> None:
    assert "  6 1 2 3 4 6   lucky 600\n" in run("dice")
    known = json.loads(run("dice", "--json"))
    assert len(known) == 47
    assert json.loads(run("dice", "glückswürfel", "--json"))[0]["key"] == "lucky"
    assert "28.6 %J" in run("dice", "tengri")
    assert "tengri,Tengri's Dice,plain,2 1 1 1 1 1,,1" in run("dice", "--csv")
    assert len(json.loads(run("badges", "--json"))) == 36
    badges = run("badges").splitlines()
    assert max(map(len, badges)) <= 80
    [line] = [number for number, row in enumerate(badges) if "Doppelganger ?" in row]
    assert badges[line].endswith("  1,800/1,900/3,400")
    assert badges[line + 1] == "    doubles the points of the last roll"
    assert run("badges", "--csv").startswith("name,tier,kind,uses,price,exactness,points,open\n")


@pytest.mark.slow
def test_who_wins(tmp_path: Path, kernels: Path) -> None:
    (tmp_path / "kernels").symlink_to(kernels)
    sets = ("--my-dice", "odd*4,devil*2", "--goal", "600")
    found = json.loads(run(*sets, "--json", data=tmp_path))
    assert found["win_probability"] == found["win_probability_beginning"]
    lines = run(*sets, "--began", "them", "--csv", data=tmp_path).splitlines()
    assert lines[0].startswith("who,win_probability,dice,points,")
    assert float(lines[1].split(",")[1]) == found["win_probability_second"]
    assert "You win" in run(*sets, data=tmp_path)
    badge = json.loads(run(*sets, "--my-badge", "gold-warlord", "--json", data=tmp_path))
    assert badge["badges"] == ["gold-warlord", None]
    assert badge["badge"]["at"][0]["last"] < 600
    worth = badge["win_probability"] - found["win_probability"]
    assert badge["badge"]["worth"] == pytest.approx(worth, abs=1e-11)
    rows = run("--own", "odd,devil", "--goal", "600", "--csv", data=tmp_path).splitlines()
    assert len(rows) == 5


@pytest.mark.slow
def test_the_next_die_to_buy(tmp_path: Path, kernels: Path) -> None:
    (tmp_path / "kernels").symlink_to(kernels)
    game = "--goal", "600", "--solve", "2", "--json"
    bought = json.loads(run("--own", "odd", "--buy", "140", *game, data=tmp_path))
    assert {one["die"] for one in bought["dice"]} == {"unbalanced", "misfortune", "unlucky"}
    assert bought["now"]["dice"] == "ordinary*5,odd"
    for one in bought["dice"]:  # what one may take who owns it
        choices = json.loads(run("--own", f"odd,{one['die']}", *game, data=tmp_path))["choices"]
        points = {each["dice"]: each["points"] for each in choices}
        with_it = {dice: worth for dice, worth in points.items() if one["die"] in dice}
        assert one["points"] == pytest.approx(max(with_it.values()), abs=1e-9)
        assert with_it[one["best"]] == pytest.approx(one["points"], abs=1e-9)
        if one["win_probability"] is not None:
            won = json.loads(
                run("--my-dice", one["best"], "--goal", "600", "--json", data=tmp_path)
            )
            assert one["win_probability"] == won["win_probability"]
            gain = won["win_probability"] - bought["now"]["win_probability"]
            assert one["gain"] == pytest.approx(gain)
    assert bought["dice"][2]["gain"] is None
    shown = run("--buy", "110", "--goal", "600", data=tmp_path)
    assert "2 dice to buy; kcd rules to 600 against ordinary*6, you begin." in shown
    assert run("--buy", "110", "--goal", "600", "--csv", data=tmp_path).startswith(
        "die,price,best,"
    )


@pytest.mark.slow
def test_advice(tmp_path: Path, kernels: Path) -> None:
    (tmp_path / "kernels").symlink_to(kernels)
    environment = {"FARKLE_DATA": str(tmp_path)}
    roll = ["advise", "5 5 3 2 odd, J 5 devil", "--my-dice", "odd*4,devil*2", "--goal", "1000"]
    shown = CliRunner().invoke(farkle, roll, env=environment)
    assert shown.stdout.startswith("5 5 3 2 odd, 5 J: you 0, them 0, kcd rules to 1,000\n")
    found = json.loads(CliRunner().invoke(farkle, [*roll, "--json"], env=environment).stdout)
    rows = CliRunner().invoke(farkle, [*roll, "--csv"], env=environment).stdout.splitlines()
    assert len(rows) == len(found["options"]) + 1
    assert found["options"][0]["points"] == 1000
    odds = ["odds", "--turn", "300", "--dice", "odd,devil", *roll[2:]]
    told = CliRunner().invoke(farkle, odds, env=environment)
    assert "you 0, them 0, turn total 300, devil,odd to roll, kcd rules to 1,000\n" in told.stdout
    data = json.loads(CliRunner().invoke(farkle, [*odds, "--json"], env=environment).stdout)
    assert data["my_dice"] == "odd*4,devil*2"
    typed = ["odds", "turn", "300", "dice", "odd,devil", "my-dice", "odd*4,devil*2", "goal", "1000"]
    assert CliRunner().invoke(farkle, typed, env=environment).stdout == told.stdout
    wrong = CliRunner().invoke(farkle, ["odds", "--dice", "lucky"])
    assert "'lucky' is not a valid integer" in wrong.output + str(wrong.exception)
    refused = CliRunner().invoke(farkle, ["advise", "5 1", "--my-badge", "emperor"])
    assert "--my-badge: goes with --my-dice or --their-dice" in str(refused.exception)


@pytest.mark.slow
def test_three_with_dice_of_their_own(tmp_path: Path, kernels: Path) -> None:
    (tmp_path / "kernels").symlink_to(kernels)
    environment = {"FARKLE_DATA": str(tmp_path)}

    def told(*arguments: str) -> str:
        result = CliRunner().invoke(farkle, arguments, env=environment)
        assert result.exit_code == 0, result.output
        return result.stdout

    sets = ["--dice", "odd*4,devil*2", "--dice", "ordinary*6", "--dice", "odd*6"]
    solve = ["solve", "kcd", "--players", "3", "--goal", "600", *sets]
    solved = json.loads(told(*solve, "--check", "--json"))
    assert len(list((tmp_path / "matchups").glob("*.solved"))) == 1
    assert sum(solved["win_probabilities"]) == pytest.approx(1, abs=1e-12)
    assert (solved["mixed"], solved["mixed_states"]) == (0, 0)
    assert solved["residual"] < 1e-12
    assert "% with odd*4,devil*2\n" in told(*solve, "--out", str(tmp_path / "other"))
    dice = ["--my-dice", "odd*4,devil*2", "--their-dice", "ordinary*6/odd*6", "--goal", "600"]
    start = json.loads(told("odds", *dice, "--json"))
    assert start["chances"] == pytest.approx(solved["win_probabilities"], abs=1e-12)
    # another who begins is the same file
    other = ["--my-dice", "odd*6", "--their-dice", "odd*4,devil*2/ordinary*6", "--goal", "600"]
    assert json.loads(told("odds", *other, "--json"))["chances"] != start["chances"]
    assert len(list((tmp_path / "matchups").glob("*.solved"))) == 1
    roll = ["advise", "5 5 3 2 odd, J 5 devil", *dice, "--them", "250,400", "--me", "100"]
    shown = told(*roll)
    assert shown.startswith("5 5 3 2 odd, 5 J: you 100, them 250 and 400, kcd rules to 600\n")
    assert "Your dice odd*4,devil*2, those of the others ordinary*6 / odd*6.\n" in shown
    assert "The others would then win " in shown
    advice = json.loads(told(*roll, "--json"))
    assert sum(advice["chances"]) == pytest.approx(1, abs=1e-12)
    assert advice["their_dice"] == ["ordinary*6", "odd*6"]
    everybody = ["odds", "--my-dice", "odd*6", "--goal", "600", "--them", "100,200"]
    assert json.loads(told(*everybody, "--json"))["their_dice"] == ["ordinary*6"] * 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("solve kcd --dice odd*6 --dice odd*6", "--dice is given once for each of three players"),
        ("solve kcd --joker-alone", "--dice is given once for each of three players"),
        ("solve kcd --players 4" + " --dice odd*6" * 3, "--players 4: --dice is given 3 times"),
        ("solve kcd --csv" + " --dice odd*6" * 3, "leave out --scheduler and --csv"),
        ("solve kcd --floor 0" + " --dice odd*6" * 3, "--floor is for two players"),
        ("solve facebook" + " --dice odd*6" * 3, "a penalty for farkles is solved for two"),
        (
            "solve kcd --dice lucky*6" + " --dice odd*6" * 3,
            "163,840,000 positions at the start of a turn",
        ),
        ("solve kcd --goal 10000 --dice lucky*6" + " --dice odd*6" * 2, "takes 366 MiB, and"),
        ("odds --their-dice odd*6/odd*6 --them 1,2,3", "dice of 2 players, and them: the scores"),
        ("odds --their-dice odd*6/odd*6 --my-badge emperor", "badges work only with two players"),
        ("odds --their-dice odd*6/odd*6 --me 4000", "the game is over: you have 4,000"),
        (
            "odds --their-dice odd*6/odd*6 --goal 300 --turn 10 --dice 3",
            "the turn total cannot be 10",
        ),
    ],
)
def test_refusals_of_several(arguments: str, sentence: str, tmp_path: Path, kernels: Path) -> None:
    (tmp_path / "kernels").symlink_to(kernels)
    environment = {"FARKLE_DATA": str(tmp_path)}
    result = CliRunner().invoke(farkle, arguments.split(), env=environment)
    assert isinstance(result.exception, FarkleError)
    assert sentence in str(result.exception)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "give your dice with --my-dice, or with --own those to choose from"),
        (["--my-dice", "lucky*7"], "a set is 6 dice, not 7"),
        (["--my-dice", "odd*6", "--goal", "10"], "goal"),
        (["--my-dice", "odd*6", "--my-badge", "carpenter"], "nobody knows how many points"),
        (["--buy", "cheap"], 'buy: "cheap" is not a price'),
        (["--buy", "20"], "no die costs 20 groschen or less; the cheapest one costs 100"),
        (["--my-dice", "odd*6", "--buy", "20"], "give your dice with --my-dice, or"),
        (["--my-dice", "odd*6", "--my-badge", "might"], "write tin-might, silver-might or"),
        (["dice", "nothing"], 'there is no die called "nothing"'),
    ],
)
def test_refusals(arguments: list[str], sentence: str) -> None:
    result = CliRunner().invoke(farkle, ["kcd", *arguments])
    assert isinstance(result.exception, FarkleError)
    assert sentence in str(result.exception)
