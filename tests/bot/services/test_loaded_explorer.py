"""The walk through positions of loaded dice: steps lead on, and commands say where they lead."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bot.services.explorer import Field
from bot.services.loaded import LoadedDice, MatchupFolders, loaded_odds, solved
from bot.services.loaded_explorer import LoadedExploration, loaded_explored
from bot.services.situation import Situation
from bot.views.loaded_explorer import loaded_exploration_data, loaded_exploration_text
from solver.game.position import Position
from solver.named.badges import read_badge
from solver.named.sets import read_set
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset

RULES = Ruleset.model_validate(load_rules("kcd").model_dump() | {"goal": 600})
DICE = LoadedDice(RULES, read_set("odd*4,devil*2"), read_set("ordinary*6"))
WITH_BADGE = replace(DICE, badges=(read_badge("tin-warlord"), None))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory, kernels: Path) -> MatchupFolders:
    return MatchupFolders(tmp_path_factory.mktemp("explored"), kernels, 2**24)


def explored(folders: MatchupFolders, dice: LoadedDice, position: Position) -> LoadedExploration:
    """A position, asked for as a command does."""
    left = dice.mine.left(position.dice).text if position.turn_total else None
    asked = Situation(position.banked, position.opponent, turn_total=position.turn_total)
    return loaded_explored(folders, dice, left, asked)


@pytest.mark.parametrize("dice", [DICE, WITH_BADGE], ids=["plain", "badge"])
def test_a_walk_at_random_never_leaves_what_can_be(
    folders: MatchupFolders, dice: LoadedDice
) -> None:
    chance = random.Random(3)
    position = replace(Position.of_two(dice=dice.mine.dice_set.whole), held=dice.held)
    for _ in range(12):
        found = explored(folders, dice, position)
        assert found.position == position
        left = dice.mine.left(position.dice).text if position.turn_total else None
        asked = Situation(position.banked, position.opponent, turn_total=position.turn_total)
        assert found.found == loaded_odds(folders, dice, left, asked)
        actions = [step.action for step in found.steps]
        assert len(set(actions)) == len(actions)
        text, data = loaded_exploration_text(found), loaded_exploration_data(found)
        assert f"my-dice:{dice.mine.text}" in text
        ways = [step for step in found.steps if step.position]
        assert len(data["steps"]) == len(ways)
        step = chance.choice(ways)
        dice, position = found.dice_after(step), step.position or position
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
        for row, column in np.argwhere(strategy.possible_rows(0, rows)[0])
    }
    assert seen == every
    assert len(every) > 20


def test_the_other_side_is_the_other_dice(folders: MatchupFolders) -> None:
    found = explored(folders, DICE, Position.of_two(100, 350, dice=DICE.mine.dice_set.whole))
    [step] = [one for one in found.steps if one.field is Field.SIDES]
    assert step.position is not None
    other = explored(folders, found.dice_after(step), step.position)
    assert (other.position.banked, other.position.opponent) == (350, 100)
    assert other.dice.mine == DICE.theirs
    strategy = solved(folders, DICE.matchup.from_seat(1))
    expected = strategy.win_probability(strategy.start(0, 350, 100))
    assert other.found.odds.win_probability == pytest.approx(expected, abs=1e-12)
    assert "Change sides: /explore my-dice:ordinary*6 their-dice:odd*4,devil*2" in (
        loaded_exploration_text(found).replace("\n  ", " ").replace("\n", " ")
    )
