"""The walk through positions of loaded dice: steps lead on, and commands say where they lead."""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bot.features.pictures import service
from bot.features.pictures.service import Exploration, Field
from bot.features.pictures.view import exploration_data, exploration_text
from bot.services.loaded import LoadedDice, MatchupFolders, solved
from bot.services.situation import Situation, left_to_roll
from solver.game.position import Position
from solver.game.standings import Standing
from solver.loaded.kits import Kit
from solver.named.badges import read_badge
from solver.named.sets import read_set
from solver.play.maps import turn_map
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.rules.writer import rules_toml
from solver.turn.dice import TurnState
from tests.bot.services.own_dice import advisor_on, weighed
from tests.bot.speaking import open_chat
from tests.house_rules import small

RULES = Ruleset.model_validate(load_rules("kcd").model_dump() | {"goal": 600})
SETS = [read_set(text) for text in ("odd*4,devil*2", "ordinary*6", "lucky*6")]
DICE = LoadedDice(RULES, tuple(map(Kit, SETS[:2])))
THREE = LoadedDice(
    Ruleset.model_validate(load_rules("kcd").model_dump() | {"goal": 300}), tuple(map(Kit, SETS))
)
WITH_BADGE = replace(DICE, kits=(Kit(SETS[0], read_badge("tin-warlord")), DICE.kits[1]))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory, kernels: Path) -> MatchupFolders:
    return MatchupFolders(tmp_path_factory.mktemp("explored"), kernels, 2**24)


def asked_of(dice: LoadedDice, position: Position) -> tuple[str | None, Situation]:
    """Dice left to roll and a position, as a command has them."""
    left = dice.mine.left(position.dice).text if position.turn_total else None
    _, *others = (position.players[k].score for k in position.in_order)
    asked = Situation(
        banked=position.banked, opponent=tuple(others), turn_total=position.turn_total
    )
    return left, asked


def explored(folders: MatchupFolders, dice: LoadedDice, position: Position) -> Exploration:
    """A position, asked for as a command does."""
    left, situation = asked_of(dice, position)
    asked = situation._replace(rules=dice.rules, dice=dice)
    return service.explored(advisor_on(folders, dice).asked, left_to_roll(asked, left), asked)


@pytest.mark.mostly_slow
@pytest.mark.parametrize("dice", [DICE, WITH_BADGE, THREE], ids=["plain", "badge", "three"])
def test_a_walk_at_random_never_leaves_what_can_be(
    folders: MatchupFolders, dice: LoadedDice
) -> None:
    chance = random.Random(3)
    players = tuple(Standing() for _ in dice.sets)
    position = Position(players, 0, TurnState(0, dice.mine.dice_set.whole), held=dice.held)
    for _ in range(12):
        found = explored(folders, dice, position)
        assert found.odds.position == position
        assert found.odds == weighed(folders, dice, *asked_of(dice, position))
        actions = [step.action for step in found.steps]
        assert len(set(actions)) == len(actions)
        text, data = exploration_text(found), exploration_data(found)
        assert f"my-dice:{dice.mine.text}" in text
        ways = [step for step in found.steps if step.position]
        assert len(data["steps"]) == len(ways)
        step = chance.choice(ways)
        dice, position = found.dice_after(step) or dice, step.position or position
        assert dice.mine.text in data["steps"][ways.index(step)]["command"]


def test_every_state_of_a_turn_can_be_walked_to(folders: MatchupFolders) -> None:
    """By small steps alone, from its start: all turn totals up to the goal and all dice."""
    strategy = solved(folders, DICE.matchup)
    start = strategy.start(0, 350, 200)
    seen, new = set[Position](), {start}
    while new:
        seen |= new
        steps = [step for one in new for step in explored(folders, DICE, one).steps]
        turning = [one for one in steps if one.field in {Field.TURN, Field.DICE}]
        new = {one.position for one in turning if one.position and not one.is_large} - seen
    rows = (RULES.goal - start.banked) // 50 + 1
    every = {
        start.change(turn_total=50 * int(row), dice=int(column) + 1)
        for row, column in np.argwhere(strategy.possible_rows(start, rows)[0])
    }
    assert seen == every
    assert len(every) > 20


def test_the_other_side_is_the_other_dice(folders: MatchupFolders) -> None:
    found = explored(folders, DICE, Position.of_two(100, 350, dice=DICE.mine.dice_set.whole))
    [step] = [one for one in found.steps if one.field is Field.SIDES]
    assert step.position is not None
    other = explored(folders, found.dice_after(step) or DICE, step.position)
    assert (other.odds.position.banked, other.odds.position.opponent) == (350, 100)
    assert other.odds.brought
    assert other.odds.brought.mine == DICE.theirs
    strategy = solved(folders, DICE.matchup.from_seat(1))
    expected = strategy.win_probability(strategy.start(0, 350, 100))
    assert other.odds.win_probability == pytest.approx(expected, abs=1e-12)
    assert "Change sides: /explore my-dice:ordinary*6 their-dice:odd*4,devil*2" in (
        exploration_text(found).replace("\n  ", " ").replace("\n", " ")
    )


def test_the_next_of_several_throws_the_next_dice(folders: MatchupFolders) -> None:
    start = Position((Standing(100), Standing(50), Standing(200)), 0, TurnState(0, 14))
    found = explored(folders, THREE, start)
    play = solved(folders, THREE.matchup)
    assert found.bank_from == turn_map(play, start, 8).bank_from
    [step] = [one for one in found.steps if one.field is Field.SIDES]
    after = found.dice_after(step)
    assert after
    assert after.sets == (*THREE.sets[1:], THREE.mine)
    assert step.position
    assert [one.score for one in step.position.players] == [50, 200, 100]
    second = replace(start, mover=1, turn=TurnState(0, 6))
    seats = explored(folders, after, step.position).odds.chances
    assert [seats[2], *seats[:2]] == pytest.approx(play.chances(second), abs=1e-12)
    assert "their-dice:lucky*6/odd*4,devil*2" in exploration_data(found)["steps"][-1]["command"]


OPTIONS: list[dict[str, Any]] = [
    {"farkle_penalty": {"in_a_row": 2, "points": 100}, "opening_minimum": 100},
    {"ending": "equal_turns", "ties": "shared"},
    {"hot_dice_bonus": (100, 0)},
]


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=["penalty", "turns", "bonus"])
async def test_steps_are_typed_again_under_other_rules(
    options: dict[str, Any], tmp_path: Path, kernels: Path
) -> None:
    (tmp_path / "kernels").symlink_to(kernels)
    file = tmp_path / "odd.toml"
    file.write_text(rules_toml(small(name="odd", goal=300, dice=3, **options), ""))
    game = f"my-dice:odd*3 their-dice:ordinary*3 rules:{file}"
    async with open_chat(tmp_path, needed=30.0) as chat:
        for position in ("", " turn:100 dice:odd", " them:100 turn:200 dice:odd*3"):
            walk = (await chat.all(f"/explore {game}{position}"))[-1]
            assert len(walk.data["steps"]) >= 6
            for step in walk.data["steps"]:
                # a file is no name that the bot shows
                line = step["command"].replace("rules:odd goal:300", f"rules:{file}")
                there = (await chat.all(line))[-1]
                assert there.data["position"] == step["position"], line
