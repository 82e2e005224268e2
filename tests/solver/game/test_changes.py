"""What a sweep changed, against loops over standings."""

import itertools

import numpy as np
import pytest

from solver.game.endgame import endgame
from solver.game.kernels import paired_score
from solver.game.lanes import LANES
from solver.game.layout import PAD, first_scores, make_table, make_work, mode
from solver.game.standings import blocks
from solver.game.sweep_kernels import note_changes
from solver.rules.ruleset import Ruleset

RULES = {
    "roles, floor": Ruleset(
        name="roles",
        goal=2000,
        ending="equal_turns",
        score_floor=-300,
        farkle_penalty={"in_a_row": 2, "points": 300},
    ),
    "opening": Ruleset(name="opening", goal=1800, opening_minimum=400, minimum_bank=300),
}


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
@pytest.mark.parametrize("least", [0.0, 0.2])
def test_changes_are_noted_group_by_group(rules: Ruleset, least: float) -> None:
    random, ends = np.random.default_rng(8), endgame(rules)
    work = make_work(rules, ends, 1)
    game = work.game
    table = make_table(game, [ends.lasts])
    s = game.scores + 3
    rows = 3
    totals = slice(s - rows + 1, s + 1)
    before = table[:, :, :, totals].copy()
    now = table[:, :, :, totals]
    now[now == 0.5] = random.random(now.shape)[now == 0.5] ** 4
    groups = game.scores // LANES + 1
    active = random.random((rows, groups)) < 0.5
    for row in range(rows):
        active[row, len(first_scores(s - row, game)) :] = False
    # in one group nothing was solved and nothing guessed
    active[1, 0] = False
    begin = first_scores(s - 1, game)[0]
    for r, states in enumerate(table[:, :, :, s - 1]):
        paired = [paired_score(s - 1, own, r, game) for own in np.arange(table.shape[-1]) - PAD]
        states[:] = np.where(np.array(paired) < begin + LANES, before[r, :, :, 1], states)
    changed = np.full((len(table[0, 0, 0]), groups), -1.0)
    change = np.full(table.shape, 7.0, dtype=np.float32)
    largest, turn_totals = note_changes(table, before, s, active, game, least, changed, change)

    expected, counted, most = np.full((rows, groups), -1.0), 0, 0.0
    for row in range(rows):
        total = s - row
        firsts = first_scores(total, game)
        expected[row, : len(firsts)] = 0.0
        for r, one, two in itertools.product(range(game.roles), blocks(rules), blocks(rules)):
            u, w = mode(rules, one), mode(rules, two)
            for own in range(one.scores):
                opponent = total - own
                if not 0 <= opponent < two.scores:
                    continue
                group = np.flatnonzero(firsts <= paired_score(total, own, r, game))[-1]
                value = table[r, u, w, total, PAD + own]
                moved = value - before[r, u, w, rows - 1 - row, PAD + own]
                assert change[r, u, w, total, PAD + own] == np.float32(moved)
                most = max(most, abs(moved) / max(value, least))
                # as far apart as the intervals of bounds.py that allow most
                share = abs(moved) / (value * (1 - value) + 0.01 / 3)
                expected[row, group] = max(expected[row, group], share)
                if active[row, group]:
                    minimum = rules.least_bank(on_board=one.on_board)
                    least_total = minimum // rules.point_step if rules.minimum_binds_win else 1
                    counted += max(game.scores - own, least_total)
    assert expected[1, 0] == 0
    expected[1, 0] = -1.0  # as before
    assert largest == pytest.approx(most, rel=1e-14)
    assert turn_totals == counted
    np.testing.assert_allclose(changed[s : s - rows : -1], expected, rtol=1e-14)
    assert (np.delete(changed, range(s - rows + 1, s + 1), axis=0) == -1).all()


def test_what_is_no_number_is_told() -> None:
    rules = RULES["opening"]
    ends = endgame(rules)
    work = make_work(rules, ends, 1)
    table = make_table(work.game, [ends.lasts])
    before = table[:, :, :, 9:10].copy()
    table[0, 0, 0, 9, PAD + 4] = np.nan
    changed = np.zeros((len(table[0, 0, 0]), work.game.scores // LANES + 1))
    none = np.empty((0,) * 5, dtype=np.float32)
    active = np.ones((1, changed.shape[1]), dtype=bool)
    assert np.isnan(note_changes(table, before, 9, active, work.game, 0.0, changed, none)[0])
    assert np.isnan(changed[9, 0])
