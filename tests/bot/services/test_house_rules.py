"""House rules made in the chat: checked, solved in a process of their own, used by name."""

import asyncio
import os
import pickle
import re
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bot.chat.commands import Line, answered_by, as_reply, spread
from bot.chat.rules import RulesCommands
from bot.services import house_rules
from bot.services.house_rules import DeletedRules, HouseRules, Limits
from bot.services.rule_options import RULE_OPTIONS, rules_from_options
from bot.services.situation import read_faces
from bot.services.tables import Caller, Person
from bot.store.store import Store
from bot.tasks import solving
from bot.tasks.solving import SolveProgress, SolveState, needed_text
from bot.tasks.tasks import Asker
from bot.tasks.workers import HEADER
from bot.views.house_rules import (
    created_text,
    deleted_text,
    house_rules_text,
    new_rules_help,
    shown_text,
    solve_progress_text,
    used_text,
)
from bot.views.rules_text import rules_text
from solver.errors import FarkleError, InvalidRequestError, InvalidRulesError
from solver.game.position import first_position
from solver.game.standings import Progress, Solution
from solver.rules.file import load_rules, preset_names, read_rules
from solver.rules.ruleset import FarklePenalty, Ruleset, Scoring
from solver.rules.writer import rules_toml
from solver.strategy import open_strategy, strategy_files, verify_strategy
from tests.bot.services.scripted import follow_script
from tests.bot.waiting import is_gone, until
from tests.conftest import rules_file

PLACE, ANN = "console", "ann"
TINY = {
    "base": "facebook",
    "dice": "3",
    "goal": "500",
    "score-floor": "-500",
    "minimum-bank": "100",
}
"""The rules of the fixture `tiny`, whose code is compiled already."""


class MemoryStore:
    """What a place keeps, in a dictionary."""

    def __init__(self) -> None:
        self.texts: dict[tuple[str, str], str] = {}
        self.settings: dict[tuple[str, str], Any] = {}

    async def place_rules(self, place: str) -> dict[str, str]:
        return {name: text for (where, name), text in self.texts.items() if where == place}

    async def save_place_rules(self, place: str, name: str, text: str, by: str | None) -> None:
        assert by == ANN
        self.texts[place, name] = text

    async def delete_place_rules(self, place: str, name: str) -> bool:
        return self.texts.pop((place, name), None) is not None

    async def place_settings(self, place: str) -> dict[str, Any]:
        return {key: value for (where, key), value in self.settings.items() if where == place}

    async def set_place_setting(self, place: str, key: str, value: Any) -> None:
        self.settings[place, key] = value


Make = Callable[..., HouseRules]


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def make(store: MemoryStore, tmp_path: Path, kernels: Path) -> Make:
    def made(*, allow_files: bool = False, store: Any = store, **limits: Any) -> HouseRules:
        bounds = Limits(**{"interval": 0.05} | limits)
        return HouseRules(store, tmp_path / "strategies", kernels, bounds, allow_files=allow_files)

    return made


@pytest.fixture
def house(make: Make) -> HouseRules:
    return make()


@pytest.fixture
def compiled(tiny: Solution, monkeypatch: pytest.MonkeyPatch) -> Solution:
    """The worker finds the code that this process has compiled."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    return tiny


class Workers:
    """The worker processes that were started, which do what a script says instead."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self.pids: list[int] = []
        start = asyncio.create_subprocess_exec

        async def noted(*args: Any, **options: Any) -> asyncio.subprocess.Process:
            process = await start(*args, **options)
            self.pids.append(process.pid)
            return process

        monkeypatch.setattr(asyncio, "create_subprocess_exec", noted)

    def do(self, script: str) -> None:
        follow = partial(follow_script, textwrap.dedent(script))
        self._monkeypatch.setattr(solving, "solve_told", follow)

    def are_gone(self) -> bool:
        """Whether no process of any worker's group is left."""
        assert self.pids
        for pid in self.pids:
            try:
                os.killpg(pid, 0)
            except ProcessLookupError:
                continue
            return False
        return True


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> Workers:
    return Workers(monkeypatch)


async def all_of(updates: AsyncIterator[SolveProgress]) -> list[SolveProgress]:
    return [update async for update in updates]


async def last_of(updates: AsyncIterator[SolveProgress]) -> SolveProgress:
    return (await all_of(updates))[-1]


def names(folder: Path) -> set[str]:
    """The names of the files in a folder, if there is one."""
    return {path.name for path in folder.glob("*")}


# ---- What is typed ---------------------------------------------------------------------------


def made(options: str, base: str = "classic") -> Ruleset:
    typed = dict(option.split(":") for option in options.split())
    return rules_from_options("sunday", load_rules(base), typed)


def test_the_options_of_one_line() -> None:
    rules = made(
        "goal:5000 minimum-bank:350 three-pairs:750 farkle-penalty:3x1000 hot-dice:no_bank"
        " instant-win:xxxxxx,222"
    )
    assert rules == Ruleset.model_validate(
        {
            "name": "sunday",
            "goal": 5000,
            "minimum_bank": 350,
            "hot_dice": "no_bank",
            "instant_win": ["xxxxxx", "222"],
            "farkle_penalty": {"in_a_row": 3, "points": 1000},
            "scoring": {"three_pairs": 750},
        }
    )


@pytest.mark.parametrize("preset", preset_names())
def test_every_preset_can_be_said_in_one_line(preset: str) -> None:
    """From the simplest rules, with every option that has another value."""
    rules = load_rules(preset)
    said = {}
    data = rules.model_dump(exclude_defaults=True, exclude={"name", "title", "source"})
    if rules.rounds:
        del data["goal"]
    penalty = data.pop("farkle_penalty", None)
    if penalty:
        number, points, *words = penalty.values()
        said["farkle-penalty"] = ",".join([f"{number}x{points}", *words])
    for key, value in (data | data.pop("scoring", {})).items():
        if key != "scoring":
            words = value if isinstance(value, tuple) else [value]
            if key == "combination":
                words = rules.scoring.combination
            said[key.replace("_", "-")] = ",".join(map(str, words)).lower()
    found = rules_from_options(preset, load_rules("classic"), said)
    assert found.digest == rules.digest
    assert found.score_floor == rules.score_floor


def test_every_key_has_an_option() -> None:
    keys = {*Ruleset.model_fields, *Scoring.model_fields}
    keys -= {"name", "title", "source", "scoring"}
    assert {key.replace("_", "-") for key in keys} <= set(RULE_OPTIONS)


def test_short_forms() -> None:
    assert made("ones:200 sixes:50").scoring.single == (200, 0, 0, 0, 50, 50)
    assert made("single:50 twos:0").scoring.single == (50, 0, 50, 50, 50, 50)
    assert made("three-of-a-kind:300").scoring.three_of_a_kind == (300,) * 6
    assert made("four-of-a-kind:none four-of-a-kind:2000").scoring.four_of_a_kind == (2000,) * 6
    assert made("straight:1500").scoring.straight_1_6 == 1500
    assert made("goal:5,000 set_aside_all:Yes hot-dice:No-Bank").goal == 5000
    assert made("players:2 combine-throws:no").digest == load_rules("classic").digest


def test_jokers_are_left_out_with_what_goes_with_them() -> None:
    alone = made("jokers:6 joker-alone:yes")
    assert (alone.scoring.jokers, alone.scoring.joker_alone) == (("6",), True)
    plain = rules_from_options("plain", alone, {"jokers": "none"})
    assert plain.digest == load_rules("classic").digest
    with pytest.raises(InvalidRulesError, match="^jokers: a joker changes nothing"):
        made("jokers:6 dice:1")
    with pytest.raises(InvalidRequestError, match='"J": say what a joker shows, .* is 6$'):
        read_faces("J 1 2", alone)


def test_none_stands_for_no_points() -> None:
    for option in ("straight", "straight-1-6", "straight-1-5", "three-pairs", "minimum-bank"):
        assert made(f"{option}:none", "facebook") == made(f"{option}:0", "facebook")


def test_combinations_are_typed_as_patterns_with_points(tmp_path: Path) -> None:
    rules = made("combination:AAABB=250,aabb=sum,1abc=0,50,100,150,200,250 goal:500")
    assert [(one.dice, one.points) for one in rules.scoring.combination] == [
        ("aaabb", 250), ("aabb", "sum"), ("1abc", (0, 50, 100, 150, 200, 250))
    ]  # fmt: skip
    file = tmp_path / "sunday.toml"
    file.write_text(rules_toml(rules, "sunday"))
    assert read_rules(file) == rules
    assert rules_from_options("x", rules, {"combination": "none"}).scoring.combination == ()


def test_rolls_that_decide_may_be_said_as_combinations(tmp_path: Path) -> None:
    long = made("combination:AAAAAA=wins-game,2345=loses-score,222=loses-turn")
    short = made("instant-win:xxxxxx lose-everything:2345 combination:222=loses-turn")
    assert long.digest == short.digest
    assert "A roll with three or more 2s is a farkle, too" in rules_text(long)
    file = tmp_path / "sunday.toml"
    file.write_text(rules_toml(long, "sunday"))
    assert read_rules(file) == long


def test_combinations_that_never_count_any_more_are_not_inherited() -> None:
    base = made("combination:aaabb=250,aaaabb=500,66=20")
    five = rules_from_options("x", base, {"dice": "5"})
    assert [one.dice for one in five.scoring.combination] == ["aaabb", "66"]
    dearer = rules_from_options("x", base, {"four-and-two": "600"})
    assert [one.dice for one in dearer.scoring.combination] == ["aaabb", "66"]


def test_a_penalty_in_words() -> None:
    found = made("farkle-penalty:3x1,000,goes-on").farkle_penalty
    assert found == FarklePenalty(in_a_row=3, points=1000, then="goes_on")
    found = made("farkle-penalty:2xeverything,all-dice,goes-on").farkle_penalty
    words = {"then": "goes_on", "when": "all_dice"}
    assert found == FarklePenalty(in_a_row=2, points="everything", **words)


def test_what_has_no_meaning_any_more_is_not_inherited() -> None:
    assert made("farkle-penalty:none", "facebook").score_floor == 0
    assert made("farkle-penalty:2x350", "facebook").score_floor == -1750
    tied = Ruleset(name="base", goal=1000, ending="final_turn", ties="shared", instant_win=("xxx",))
    at_once = rules_from_options("sunday", tied, {"ending": "at_once", "dice": "2"})
    assert (at_once.ties, at_once.instant_win) == ("earlier", ())
    floored = Ruleset.model_validate(
        {"name": "base", "goal": 1000, "score_floor": 0}
        | {"farkle_penalty": {"in_a_row": 3, "points": 500}}
    )
    assert rules_from_options("sunday", floored, {"farkle-penalty": "2x100"}).score_floor == 0


BAD = {
    "gaol:5000": 'unknown option "gaol"; did you mean goal?',
    "goal:many": 'goal: takes a whole number, not "many"',
    "goal:5020": "goal: 5020 is not a multiple of 50",
    "goal:99999999": "goal: should be at most 1000000, not 99999999",
    "goal:" + "9" * 5000: "goal: takes a whole number, not ",
    "minimum-bank:20000": "minimum-bank: 20,000 is more than the goal of 10,000",
    "hot-dice:maybe": 'hot-dice: takes optional, no_bank or forced, not "maybe"',
    "set-aside-all:2": 'set-aside-all: takes yes or no, not "2"',
    "farkle-penalty:1000": "farkle-penalty: takes 1 to 5 farkles in a row and what they cost",
    "farkle-penalty:9x100": "farkle-penalty: takes 1 to 5 farkles",
    "farkle-penalty:3x100,goes-off": "farkle-penalty: takes 1 to 5 farkles",
    "farkle-penalty:1x100,goes-on": "farkle-penalty:…,goes-on has no meaning where every farkle",
    "rounds:3 farkle-penalty:2xeverything": 'farkle-penalty: "everything" does not go with rounds;',
    "rounds:3 farkle-penalty:2x50,all-dice": "farkle-penalty:…,all-dice does not go with rounds;",
    "rounds:3 final-throws:1": "final-throws: this does not go with rounds",
    "rounds:3 ties:earlier": "ties: nobody reaches a goal first in a game of rounds; use ties:sh",
    "take-over-dice:2": "take-over-dice: 2 has no meaning where nothing is taken over; it goes with"
    " take-over:banked, lost or both",
    "hot-dice:no_bank confirm-points:7000": "confirm-points: under these rules at most 5000 points",
    "farkle-penalty:3x0": "farkle-penalty: takes 1 to 5 farkles",
    "three-of-a-kind:1,2": "three-of-a-kind: takes one number for all faces, or six with commas",
    "single:0,-50,0,0,0,0": "single: the points for a 2 should be at least 0, not -50",
    "twos:-5": "twos: takes a number of points, 0 to 1,000,000",
    "three-pairs:-1": "three-pairs: should be at least 0, not -1",
    "instant-win:77": "instant-win: takes rolls with commas between them, such as xxxxxx",
    "dice:2 instant-win:xxx": 'instant-win: "xxx" needs 3 dice and there are 2',
    "hot-dice-bonus:1,": "hot-dice-bonus: takes numbers with commas between them",
    "three-pairs-include:all": "three-pairs-include: takes four_and_two, six_of_a_kind or both",
    "ties:shared": "ties:shared has no meaning when the first to reach the goal wins",
    "score-floor:-500": "score-floor: -500 has no meaning without a farkle-penalty in points",
    "players:3": "players: how many play is no part of the rules: say it when you play",
    "loaded-dice:1": "loaded-dice: which dice players bring is no part of the rules",
    "straight:100 straight-1-6:200": "the options straight and straight-1-6 are the same",
    "combination:aaabb": "combination: takes combinations with commas between them, such as",
    "combination:aa7=5": "combination: takes combinations with commas between them, such as",
    "combination:22=loses-turn,roll-on": "combination: takes combinations with commas between",
    "combination:first-throw,22=50": "combination: takes combinations with commas between",
    "combination:22=50,first-throw,first-roll": "combination: takes combinations with commas",
    "combination:aabb=1,2": "combination: takes combinations with commas between them, such as",
    "combination:aaa=100": 'combination: the points of "aaa" never count, as the same dice are',
    "dice:4 combination:aaabb=5": 'combination: "aaabb" needs 5 dice and there are 4',
    "dice:x": 'dice: takes a whole number, not "x"',
    "dice:11": "dice: should be at most 10, not 11",
}


@pytest.mark.parametrize(("options", "sentence"), BAD.items())
def test_bad_options(options: str, sentence: str) -> None:
    with pytest.raises(FarkleError) as caught:
        made(options)
    assert str(caught.value).startswith(sentence)
    assert len(str(caught.value)) < 250


def test_a_value_of_the_base_that_does_not_fit() -> None:
    with pytest.raises(InvalidRulesError) as caught:
        made("goal:200", "facebook")
    assert str(caught.value) == (
        "minimum-bank: 300 is more than the goal of 200;"
        " minimum-bank:300 comes from the rules facebook"
    )


# ---- What a place has ------------------------------------------------------------------------


async def test_rules_are_saved_as_text_of_their_own(
    house: HouseRules, store: MemoryStore, tmp_path: Path
) -> None:
    rules = await house.create(PLACE, ANN, " sunday   evening ", {"goal": "5000"})
    assert rules.name == "sunday evening"
    file = tmp_path / "another name.toml"
    file.write_text(store.texts[PLACE, "sunday evening"])
    assert read_rules(file) == rules == await house.resolve(PLACE, "Sunday Evening")
    own = await house.create(PLACE, ANN, "later", {"base": "SUNDAY evening", "minimum-bank": "300"})
    assert (own.goal, own.minimum_bank) == (5000, 300)


NAMES = ["", " ", "../x", "a/b", "a\\b", "..", ".", "a..b", ".x", "-x", "x" * 41, "x.toml", "a\0b"]


@pytest.mark.parametrize("name", [*NAMES, "a:b", "Facebook", "new", "Use it", "\u202ex", "x\u3164"])
async def test_bad_names(house: HouseRules, store: MemoryStore, name: str) -> None:
    with pytest.raises(InvalidRequestError, match="name"):
        await house.create(PLACE, ANN, name, {"goal": "5000"})
    assert not store.texts


async def test_a_name_is_given_once_in_a_place(house: HouseRules) -> None:
    await house.create(PLACE, ANN, "Sunday", {})
    with pytest.raises(InvalidRequestError, match="rules called Sunday exist here already"):
        await house.create(PLACE, ANN, "sunday", {})
    await house.create("elsewhere", ANN, "sunday", {})
    with pytest.raises(InvalidRulesError, match="unknown rule set"):
        await house.resolve("nowhere", "sunday")


async def test_limits(make: Make) -> None:
    house = make(rules=2)
    with pytest.raises(InvalidRequestError, match="goal: takes at most 200 characters, not 201"):
        await house.create(PLACE, ANN, "long", {"goal": "1" * 201})
    two = (house.create(PLACE, ANN, name, {"goal": "500"}) for name in ("a", "b", "c"))
    found = await asyncio.gather(*two, return_exceptions=True)
    refused = [str(one) for one in found if isinstance(one, InvalidRequestError)]
    assert refused == [
        "there are 2 house rules here already, and at most 2 are allowed; "
        "delete one first with /rules delete NAME"
    ]


async def test_a_solve_is_estimated_before_it_begins(make: Make, workers: Workers) -> None:
    house = make(seconds=300)
    # a goal of 20,000 is more start-of-turn states, and ones:7 many more states of a turn
    assert (await house.create(PLACE, ANN, "long", {"goal": "20000"})).goal == 20_000
    with pytest.raises(InvalidRulesError, match=r"^odd: .* positions .* at most"):
        await house.create(PLACE, ANN, "odd", {"ones": "7"})
    large = {"goal": "10000", "ones": "105", "fives": "55"}
    with pytest.raises(InvalidRulesError) as caught:
        await make(seconds=60).create(PLACE, ANN, "large", large)
    assert re.fullmatch(
        r"large: solving [\d,]+ positions takes about \d+ min, but the"
        r" limit here is 60 s; a lower goal, .*",
        str(caught.value),
    )
    # a preset that takes longer than the host allows is not begun either
    last = await last_of(make(seconds=5).solve(PLACE, "zilch"))
    assert last.state is SolveState.FAILED
    assert "but the limit here is 5 s" in last.sentence
    assert workers.pids == []


async def test_rules_that_cannot_be_solved(house: HouseRules, store: MemoryStore) -> None:
    endless = {"dice": "1", "single": "50", "hot-dice": "no_bank"}
    with pytest.raises(InvalidRulesError, match="a turn never ends"):
        await house.create(PLACE, ANN, "endless", endless)
    with pytest.raises(InvalidRulesError, match='base: unknown rule set "zilc"; did you mean zil'):
        await house.create(PLACE, ANN, "sunday", {"base": "zilc"})
    assert not store.texts


async def test_files_only_where_they_are_allowed(make: Make, tmp_path: Path) -> None:
    file = str(rules_file(tmp_path / "mine.toml"))
    for reference in (file, "/etc/passwd", "../../data/rules/classic", "./classic"):
        with pytest.raises(InvalidRulesError, match="unknown rule set"):
            await make().resolve(PLACE, reference)
    console = make(allow_files=True)
    with pytest.raises(InvalidRulesError, match="unknown rule set"):
        await console.resolve(PLACE, "mine")
    assert (await console.resolve(PLACE, file)).name == "mine"
    # as sentences that say what to do next call it
    assert (await console.resolve(PLACE, "mine")).name == "mine"
    assert (await console.use(PLACE, file)).name == "mine"
    assert (await console.resolve(PLACE)).name == "mine"
    with pytest.raises(InvalidRulesError, match="base: unknown rule set"):
        await make().create(PLACE, ANN, "sunday", {"base": file})
    made = await console.create(PLACE, ANN, "sunday", {"base": file, "goal": "600"})
    assert (made.name, made.goal, made.dice) == ("sunday", 600, 3)


async def test_unknown_rules_are_guessed_among_all(house: HouseRules) -> None:
    await house.create(PLACE, ANN, "sunday", {})
    with pytest.raises(InvalidRulesError, match=r'"sundy"; did you mean sunday\?'):
        await house.resolve(PLACE, "sundy")
    with pytest.raises(InvalidRulesError, match=r'"zilhc"; did you mean zilch\?'):
        await house.resolve(PLACE, "zilhc")


async def test_the_rules_of_a_place(house: HouseRules) -> None:
    assert await house.default(PLACE) == "facebook"
    await house.create(PLACE, ANN, "sunday", {"goal": "2000"})
    await house.use(PLACE, "SUNDAY")
    assert (await house.resolve(PLACE)).goal == 2000
    assert [entry.name for entry in await house.list(PLACE) if entry.is_default] == ["sunday"]
    await house.use(PLACE, "Zilch")
    assert await house.default(PLACE) == "zilch"
    assert await house.default("elsewhere") == "facebook"
    await house.use(PLACE, "sunday")
    assert await house.delete(PLACE, "Sunday") == DeletedRules("sunday", now="facebook")
    assert await house.default(PLACE) == "facebook"
    with pytest.raises(InvalidRequestError, match='no house rules "sunday" here'):
        await house.delete(PLACE, "sunday")
    with pytest.raises(InvalidRequestError, match="the rules zilch come with the program"):
        await house.delete(PLACE, "zilch")


async def test_a_name_is_that_of_the_preset_that_has_it_now(
    house: HouseRules, store: MemoryStore
) -> None:
    store.texts[PLACE, "Zilch"] = "goal = 500\n"
    assert await house.resolve(PLACE, "zilch") == load_rules("zilch")
    assert await house.resolve(PLACE, "Zilch") == load_rules("zilch")
    assert [entry.name for entry in await house.list(PLACE)] == preset_names()
    assert (await house.delete(PLACE, "zilch")).name == "Zilch"
    assert not store.texts


async def test_names_are_suggested_by_how_likely_they_are(house: HouseRules) -> None:
    await house.create(PLACE, ANN, "Sunday", {"goal": "2000"})
    await house.use(PLACE, "zilch")
    assert (await house.suggested(PLACE, ""))[:2] == ["zilch", "Sunday"]
    assert await house.suggested(PLACE, "ZIL") == ["zilch", "zilch-backend"]
    # what begins so, before what goes on so
    assert await house.suggested(PLACE, "farkle") == ["farkle-games", "farkle-summary", "go-farkle"]
    assert await house.suggested(PLACE, "sun") == ["Sunday"]


async def test_text_that_is_no_rule_set_any_more(house: HouseRules, store: MemoryStore) -> None:
    store.texts[PLACE, "old"] = "goal = 500\nspeed = 3\n"
    store.texts[PLACE, "torn"] = "goal = "
    entries = await house.list(PLACE)
    assert [entry.name for entry in entries if entry.rules is None] == ["old", "torn"]
    assert "damaged" in house_rules_text(entries)
    with pytest.raises(InvalidRulesError, match='old: unknown key "speed"'):
        await house.resolve(PLACE, "old")
    with pytest.raises(InvalidRulesError, match="torn: .* damaged"):
        await house.resolve(PLACE, "torn")
    assert (await house.delete(PLACE, "torn")).name == "torn"


# ---- Solving ---------------------------------------------------------------------------------


@pytest.mark.slow
async def test_a_solve_in_a_process_of_its_own(
    make: Make, compiled: Solution, workers: Workers, tmp_path: Path
) -> None:
    store = await Store.open(f"sqlite:///{tmp_path / 'farkle.db'}")
    try:
        house = make(store=store)
        rules = await house.create(PLACE, ANN, "little", TINY)
        assert rules.digest == compiled.rules.digest
        assert not house.is_solved(await house.resolve(PLACE, "little"))
        updates = await all_of(house.solve(PLACE, "little"))
        going_on = {SolveState.WAITING, SolveState.ELSEWHERE, SolveState.RUNNING}
        assert {update.state for update in updates[:-1]} <= going_on
        assert updates[-1].state is SolveState.DONE, updates[-1]
        assert updates[-1].win_probability == pytest.approx(compiled.values[0, 10, 10], abs=1e-8)
        folder = tmp_path / "strategies"
        assert verify_strategy(strategy_files(folder, rules)[0]).tolerance == 1e-9
        strategy = open_strategy(folder, rules)
        assert strategy.win_probability(first_position(rules)) == updates[-1].win_probability
        assert house.is_solved(await house.resolve(PLACE, "little"))
        # what is solved is not solved again
        assert (await last_of(house.solve(PLACE, "Little"))).state is SolveState.DONE
        assert len(workers.pids) == 1
    finally:
        await store.close()


def test_the_worker_ends_with_whoever_asked(tmp_path: Path, kernels: Path) -> None:
    """The chat was killed: nobody holds the worker's standard input any more."""
    asked = load_rules("patch"), 2, tmp_path / "strategies", kernels
    request = pickle.dumps((solving.solve_told, asked, "en", True))
    process = subprocess.run(
        [sys.executable, "-m", "bot.tasks.worker", "0", "0"],
        check=False,
        input=len(request).to_bytes(HEADER, "little") + request,
        capture_output=True,
    )
    assert process.returncode == 130
    assert b"made" not in process.stdout
    assert not list(tmp_path.rglob("*.solved*"))


SWEEPS = """
    import os, time
    for sweep in range(1, 1_000_000):
        tell(Progress(sweep, 0.5, 0.1))
        time.sleep(0.01)
"""


async def test_updates_are_throttled(make: Make, workers: Workers, tmp_path: Path) -> None:
    enough = tmp_path / "enough"
    is_enough = f"        if os.path.exists({str(enough)!r}):\n            break\n"
    workers.do(SWEEPS + is_enough + "    print('noise')\n    os._exit(3)\n")
    house = make(interval=0.2)
    updates = []
    async with aclosing(house.solve(PLACE, "zilch")) as solve:
        async for update in solve:
            updates.append(update)
            if update.far and update.far.sweep > 2 * len(updates) > 4:
                enough.touch()
    sweeps = [update.far.sweep if update.far else 0 for update in updates]
    assert sweeps == sorted(sweeps)
    assert max(sweeps) > 2 * len(sweeps) - 2, "most of what the worker tells is not told"
    assert updates[-1].state is SolveState.FAILED
    assert (
        updates[-1].sentence == "zilch: the solve stopped unexpectedly (status 3); solve it again"
    )


async def test_one_solve_at_a_time_in_a_place(
    house: HouseRules, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house_rules, "SHORT_SOLVE", 0.0)
    workers.do(SWEEPS)
    first = asyncio.create_task(last_of(house.solve(PLACE, "zilch")))
    await until(lambda: bool(workers.pids))
    with pytest.raises(InvalidRequestError, match="rules zilch are being solved here: wait"):
        await last_of(house.solve(PLACE, "patch"))
    show = answered_by(RulesCommands(house))[0].answer
    line, caller = Line(("show", "zilch"), {}), Caller("there", Person(ANN, ANN))
    [told] = [as_reply(one).text async for one in spread(show(line, caller))]
    assert re.search(r"\nThey are being solved now, which takes about \d+ (s|min)\.$", told)
    [told] = [as_reply(one).text async for one in spread(show(Line((), {}), caller))]
    assert re.search(r"^ *zilch +being solved ", told, re.M)
    other: list[SolveProgress] = []

    async def elsewhere() -> None:
        async for update in house.solve("elsewhere", "patch"):
            other.append(update)  # noqa: PERF401 - to be seen on the way

    second = asyncio.create_task(elsewhere())
    await until(lambda: bool(other))
    assert [update.state for update in other] == [SolveState.WAITING]
    assert solve_progress_text(other[0]).startswith("patch has to wait: other rules are solved")
    assert len(workers.pids) == 1
    assert await house.cancel(PLACE) == "zilch"
    assert workers.are_gone()
    assert (await first).state is SolveState.CANCELLED
    [told] = [as_reply(one).text async for one in spread(show(line, caller))]
    assert told.endswith("\nNot solved yet; /rules solve zilch does it.")
    await until(lambda: other[-1].state is SolveState.RUNNING)
    await until(lambda: len(workers.pids) == 2)
    assert await house.cancel("elsewhere") == "patch"
    await second
    assert workers.are_gone()
    with pytest.raises(InvalidRequestError, match="nothing is being solved here"):
        await house.cancel(PLACE)


async def test_short_solves_pass_long_ones(house: HouseRules, workers: Workers) -> None:
    workers.do(SWEEPS)
    long = asyncio.create_task(last_of(house.solve(PLACE, "zilch")))
    await until(lambda: len(workers.pids) == 1)
    short = asyncio.create_task(last_of(house.solve("elsewhere", "patch")))
    await until(lambda: len(workers.pids) == 2)
    await house.cancel(PLACE)
    await house.cancel("elsewhere")
    await asyncio.gather(long, short)
    assert workers.are_gone()


async def test_one_persons_solves_do_not_keep_another_ones_waiting(
    make: Make, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixteen rule sets in sixteen places: most are refused, and another host is next."""
    monkeypatch.setattr(house_rules, "SHORT_SOLVE", 0.0)
    workers.do(SWEEPS)
    house = make()
    theirs = [
        asyncio.create_task(last_of(house.solve(f"place {number}", "zilch", "mallory")))
        for number in range(16)
    ]
    await until(lambda: sum(task.done() for task in theirs) == 12)
    refused = [task.result().sentence for task in theirs if task.done()]
    assert all("you have 4 tasks running (4 × solve)" in sentence for sentence in refused)
    others: list[SolveProgress] = []

    async def elsewhere() -> None:
        async for update in house.solve("elsewhere", "patch", "ann"):
            others.append(update)  # noqa: PERF401 - to be seen on the way

    other = asyncio.create_task(elsewhere())
    await until(lambda: bool(workers.pids and others))
    assert others[0].state is SolveState.WAITING
    runs = house._runs.items()
    await house.cancel(next(k for k, run in runs if run.latest.state is SolveState.RUNNING))
    await until(lambda: others[-1].state is SolveState.RUNNING)
    await until(lambda: len(workers.pids) == 2)
    for task in (other, *theirs):
        task.cancel()
    await asyncio.gather(other, *theirs, return_exceptions=True)
    assert workers.are_gone()


@pytest.mark.slow
async def test_a_solve_that_waits_can_be_cancelled(house: HouseRules, workers: Workers) -> None:
    workers.do(SWEEPS)
    first = asyncio.create_task(last_of(house.solve(PLACE, "zilch")))
    await until(lambda: bool(workers.pids))
    told: list[SolveProgress] = []

    async def elsewhere() -> None:
        async for update in house.solve("elsewhere", "zilch"):
            told.append(update)  # noqa: PERF401 - to be seen on the way

    second = asyncio.create_task(elsewhere())
    await until(lambda: bool(told))
    await house.cancel("elsewhere")
    await second
    assert told[-1].state is SolveState.CANCELLED
    assert len(workers.pids) == 1
    await house.cancel(PLACE)
    await first


@pytest.mark.slow
async def test_the_real_worker_can_be_cancelled(
    make: Make, workers: Workers, tmp_path: Path
) -> None:
    house = make(interval=0.05)
    task = asyncio.create_task(last_of(house.solve(PLACE, "facebook")))
    await until(lambda: bool(workers.pids))
    assert os.getpgid(workers.pids[0]) == workers.pids[0] != os.getpgid(0)
    await asyncio.sleep(1)
    assert not workers.are_gone()
    assert await house.cancel(PLACE) == "facebook"
    assert workers.are_gone()
    assert (await task).state is SolveState.CANCELLED
    assert {name for name in names(tmp_path / "strategies") if not name.endswith(".lock")} == set()


@pytest.mark.slow
async def test_a_deaf_worker_is_killed_with_its_children(
    house: HouseRules, workers: Workers, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(solving, "GRACE", 0.2)
    alive = tmp_path / "alive"
    workers.do(
        f"""
        import os, signal, time
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.fork()
        with open({str(alive)!r}, "a", buffering=1) as file:
            print(os.getpid(), file=file)
        time.sleep(600)
        """
    )
    task = asyncio.create_task(last_of(house.solve(PLACE, "zilch")))
    await until(lambda: alive.exists() and len(alive.read_text().split()) == 2)
    both = [int(process) for process in alive.read_text().split()]
    await house.cancel(PLACE)
    assert (await task).state is SolveState.CANCELLED
    await until(lambda: all(map(is_gone, both)))


@pytest.mark.slow
async def test_whoever_reads_is_cancelled(house: HouseRules, workers: Workers) -> None:
    workers.do(SWEEPS)
    task = asyncio.create_task(last_of(house.solve(PLACE, "zilch")))
    await until(lambda: bool(workers.pids))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert workers.are_gone()
    # the place is free again, also where the iterator is closed early
    async with aclosing(house.solve(PLACE, "zilch")) as solve:
        async for update in solve:
            assert update.state is SolveState.RUNNING
            break
    assert workers.are_gone()
    with pytest.raises(InvalidRequestError, match="nothing is being solved here"):
        await house.cancel(PLACE)


def test_the_end_of_the_loop_ends_the_worker(make: Make, workers: Workers) -> None:
    workers.do(SWEEPS)
    solves: list[asyncio.Task[SolveProgress]] = []

    async def main() -> None:
        house = make()
        solves.append(asyncio.create_task(last_of(house.solve(PLACE, "zilch"))))
        await until(lambda: bool(workers.pids))

    asyncio.run(main())
    assert solves[0].cancelled()
    assert workers.are_gone()


@pytest.mark.slow
async def test_the_time_limit(
    make: Make, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers.do(SWEEPS)
    monkeypatch.setattr(house_rules, "check_size", lambda *_: 0.1)
    last = await last_of(make(seconds=0.5).solve(PLACE, "zilch"))
    assert last.state is SolveState.TIMED_OUT
    assert last.seconds >= 0.5
    assert last.sentence.startswith("zilch: solving took longer than the 0.5 seconds allowed")
    assert workers.are_gone()


@pytest.mark.parametrize(
    ("script", "seconds", "reason"),
    [
        (
            "import time; time.sleep(1000)",
            0.3,
            "zilch: solving took longer than the 0.3 seconds allowed",
        ),
        (
            "raise SolveError('zilch: the disk is full')",
            60,
            "zilch: the disk is full.",
        ),
    ],
)
async def test_a_needed_solve_that_failed_is_told_of(
    make: Make,
    workers: Workers,
    monkeypatch: pytest.MonkeyPatch,
    script: str,
    seconds: float,
    reason: str,
) -> None:
    workers.do(script)
    monkeypatch.setattr(house_rules, "check_size", lambda *_: 0.1)
    needed = make(seconds=seconds, needed=60).needed(Asker(ANN, PLACE), load_rules("zilch"), 2)
    first, failed = [needed_text(one) async for one in needed]
    assert first.startswith("Solving zilch rules for 2 players first")
    assert " ".join(failed.split()).startswith(reason)


@pytest.mark.mostly_slow(2)
@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        (
            "import os; os.kill(os.getpid(), 9)",
            "zilch: the solve was killed (signal 9), perhaps because memory ran out;"
            " solve it again",
        ),
        (
            "raise SolveError('zilch: the disk is full')",
            "zilch: the disk is full",
        ),
        ("1 / 0", "zilch: the solve stopped unexpectedly (status 1); solve it again"),
        (
            "pass",
            "zilch: the strategy file is gone, or damaged; solve the rules again",
        ),
    ],
)
async def test_a_solve_that_fails(
    house: HouseRules, workers: Workers, script: str, sentence: str
) -> None:
    workers.do(script)
    last = await last_of(house.solve(PLACE, "zilch"))
    assert (last.state, last.sentence) == (SolveState.FAILED, sentence)
    assert " ".join(solve_progress_text(last).split()) == f"{sentence}."


async def test_a_place_where_nothing_can_be_written(make: Make, tmp_path: Path) -> None:
    (tmp_path / "strategies").touch()
    last = await last_of(make().solve(PLACE, "zilch"))
    assert last.state is SolveState.FAILED
    assert "strategies" in last.sentence


@pytest.mark.slow
async def test_rules_being_solved_are_not_deleted(house: HouseRules, workers: Workers) -> None:
    workers.do(SWEEPS)
    await house.create(PLACE, ANN, "sunday", {})
    task = asyncio.create_task(last_of(house.solve(PLACE, "sunday")))
    await until(lambda: bool(workers.pids))
    with pytest.raises(InvalidRequestError, match="sunday are being solved: /rules cancel"):
        await house.delete(PLACE, "sunday")
    await house.cancel(PLACE)
    await task
    await house.delete(PLACE, "sunday")


# ---- What is said ----------------------------------------------------------------------------


def test_progress_in_words() -> None:
    running = SolveProgress("sunday", SolveState.RUNNING, 3.2, Progress(3, 0.451))
    assert solve_progress_text(running) == "Solving sunday: pass 3, 45 %"
    done = SolveProgress("sunday", SolveState.DONE, 12.1, win_probability=0.5312)
    assert solve_progress_text(done) == (
        "sunday is solved in 12 s: the first player wins 53.1 %. /rules use sunday makes\n"
        "  it the rules here."
    )
    waiting = SolveProgress("sunday", SolveState.WAITING)
    assert solve_progress_text(waiting).startswith("sunday has to wait")
    cancelled = SolveProgress("sunday", SolveState.CANCELLED)
    assert solve_progress_text(cancelled).startswith("Solving sunday was cancelled")
    late = SolveProgress("sunday", SolveState.TIMED_OUT, sentence="too slow " * 20)
    assert len(solve_progress_text(late).splitlines()) > 1


async def test_texts_fit(house: HouseRules) -> None:
    name = "x" * 40
    rules = await house.create(PLACE, ANN, name, {"goal": "2000"})
    await house.use(PLACE, name)
    entries = await house.list(PLACE)
    texts = [
        created_text(rules),
        used_text(rules, is_solved=False),
        deleted_text(DeletedRules(name, now=name)),
        shown_text(rules, is_solved=False),
        house_rules_text(entries),
        new_rules_help(),
        *(
            solve_progress_text(SolveProgress(name, state, 10, far, 0.5, "sentence", 40))
            for state in SolveState
            for far in (None, Progress(3, 0.5), Progress(3, 0.5, bounding=True))
        ),
    ]
    assert not [line for text in texts for line in text.splitlines() if len(line) > 79]
    assert f"The rules here are {name};" in house_rules_text(entries)
    assert f"/rules solve {name}" in shown_text(rules, is_solved=False)


GOES_WITH = {
    "confirm-faces": "hot-dice:no_bank",
    "confirm-points": "hot-dice:no_bank",
    "fill-straight": "straight:1500",
    "final-throws": "ending:final_turn",
    "joker-alone": "jokers:1,6",
    "take-over-from": "take-over:banked",
    "take-over-dice": "take-over:banked",
}
"""What has to be said with options that mean nothing by themselves."""


def test_the_help_can_be_typed() -> None:
    """Every option that the help shows is one, with a value that it takes."""
    lines = new_rules_help().splitlines()[1:-2]
    for line in lines:
        usage = line[2:].split("  ")[0]
        for option in usage.split():
            key, value = option.split(":")
            if key != "base" and value != "...":
                made(f"{GOES_WITH.get(key, '')} {option}")
    shown = {line[2:].split(":")[0] for line in lines}
    said = new_rules_help()
    assert {key for key in RULE_OPTIONS if key not in shown and key not in said} <= {
        *("single", "straight-1-6", "five-of-a-kind", "six-of-a-kind"),
        *("twos", "threes", "fours", "sixes"),
    }


def test_the_example_in_the_help() -> None:
    example = new_rules_help().splitlines()[-1].split()
    options = dict(option.split(":") for option in example[4:])
    rules = rules_from_options(example[2], load_rules(example[3].split(":")[1]), options)
    assert rules_toml(rules, "sunday").count("goal = 5000") == 1
