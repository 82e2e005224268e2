"""Tournaments as data, held against what is obvious of them and against a twin that counts."""

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.features.tournaments.bracket import (
    Entrant,
    Form,
    Nobody,
    Pairing,
    State,
    Tournament,
    TournamentGame,
    bracket,
    round_robin,
)
from bot.features.tournaments.service import TournamentNews
from bot.features.tournaments.view import tournament_text

DRAWS = st.integers(2, 16).flatmap(lambda n: st.permutations(range(n)))


def tournament(form: Form, draw: list[int], *left: int) -> Tournament:
    entrants = tuple(Entrant(k, f"p{k}", f"name {k}", k in left) for k in sorted(draw))
    return Tournament("t", "here", form, {}, False, entrants, tuple(draw), (), False)


def played(found: Tournament, pairing: Pairing, *shares: float) -> Tournament:
    """With a game of a pairing that has ended so; without shares it is under way."""
    one, other = pairing.sides
    assert isinstance(one, int)
    assert isinstance(other, int)
    both = (shares[0], shares[1]) if shares else None
    game = TournamentGame(f"g{len(found.games)}", (one, other), not shares, both, (10, 20))
    return replace(found, games=(*found.games, game))


def gone(found: Tournament, number: int) -> Tournament:
    entrants = [replace(one, left=one.left or one.number == number) for one in found.entrants]
    return replace(found, entrants=tuple(entrants))


def test_who_has_left_is_marked_where_nothing_was_played() -> None:
    found = gone(tournament(Form.KNOCK_OUT, [0, 1, 2]), 0)
    lines = tournament_text(TournamentNews(found)).splitlines()
    assert lines[-5:-1] == [
        "  name 0 (left) – bye",
        "  name 1 – name 2",
        "Final:",
        "  name 0 (left) – ?",
    ]
    four = tournament(Form.KNOCK_OUT, [0, 1, 2, 3])
    four = gone(played(four, four.due[0], 1.0, 0.0), 3)
    assert "  name 0 ✓ – name 3" in tournament_text(TournamentNews(four)).splitlines()


@given(DRAWS)
def test_everybody_meets_everybody_once(draw: list[int]) -> None:
    found = list(round_robin(draw))
    n = len(draw)
    assert Counter(frozenset(sides) for _, sides in found) == Counter(
        frozenset({a, b}) for a in range(n) for b in range(a)
    )
    assert {number for number, _ in found} == set(range(1, n + n % 2))
    for number in range(1, n + n % 2):
        sides = [side for one, both in found if one == number for side in both]
        assert len(set(sides)) == len(sides) == n - n % 2
    begun = Counter(sides[0] for _, sides in found)
    assert all(abs(2 * begun[k] - (n - 1)) <= 1 for k in range(n))


@given(DRAWS)
def test_byes_are_as_few_as_can_be_and_never_meet(draw: list[int]) -> None:
    sides = bracket(draw)
    assert len(sides) in {2, 4, 8, 16}
    assert len(draw) > len(sides) // 2
    assert sorted(side for side in sides if isinstance(side, int)) == sorted(draw)
    pairs = zip(sides[::2], sides[1::2], strict=True)
    assert all(set(pair) != {Nobody.BYE} for pair in pairs)


@pytest.mark.slow
@settings(max_examples=12)
@given(DRAWS, st.sampled_from(Form), st.randoms(use_true_random=False))
def test_played_to_its_end(draw: list[int], form: Form, chance: random.Random) -> None:
    """Whoever plays what is due at any time, with draws, games without a result and leavers."""
    found = tournament(form, draw)
    for _ in range(1000):
        if found.over:
            break
        due = found.due
        sides = [side for one in due for side in one.sides]
        assert due, "somebody must play somebody"
        assert len(set(sides)) == len(sides)
        assert not {one.number for one in found.waiting} & set(sides)
        assert not any(found.entrant(side).left for side in sides if isinstance(side, int))
        pairing = chance.choice(due)
        if chance.random() < 0.04:
            found = gone(found, chance.choice(draw))
        elif pairing.state is State.PLAYING:
            shares = chance.choice([(1.0, 0.0), (0.0, 1.0), (0.5, 0.5)])
            ended = replace(found.games[-1], open=False, shares=shares)
            found = replace(found, games=(*found.games[:-1], ended))
        else:
            found = played(found, pairing)
            if chance.random() < 0.2:  # put away without a result
                away = replace(found.games[-1], open=False)
                found = replace(found, games=(*found.games[:-1], away))
            elif chance.random() < 0.5:
                ended = replace(found.games[-1], open=False, shares=(1.0, 0.0))
                found = replace(found, games=(*found.games[:-1], ended))
        # one game at a time, so that the last one is the one under way
        if any(game.open for game in found.games[:-1]):
            found = replace(found, games=tuple(replace(game, open=False) for game in found.games))
    assert found.over
    assert not found.due
    assert [row.entrant.number for row in found.table if row.place == 1]
    assert sorted(row.entrant.number for row in found.table) == sorted(draw)
    if form is Form.KNOCK_OUT and found.present:
        assert len(found.winners) <= 1
    if form is Form.ROUND_ROBIN:
        assert_table_counts(found)


def assert_table_counts(found: Tournament) -> None:
    """The points of a round robin, counted from the games alone."""
    present = {one.number for one in found.present}
    points: Counter[int] = Counter()
    for game in found.games:
        if game.shares and set(game.sides) <= present:
            for side, share in zip(game.sides, game.shares, strict=True):
                points[side] += share  # type: ignore[assignment]
    assert {row.entrant.number: row.points for row in found.table} == {
        row.entrant.number: points[row.entrant.number] for row in found.table
    }
    ranked = [row.points for row in found.table if not row.entrant.left]
    assert ranked == sorted(ranked, reverse=True)


def test_a_knock_out_of_five() -> None:
    found = tournament(Form.KNOCK_OUT, [0, 1, 2, 3, 4])
    states = [(one.round, one.sides, one.state) for one in found.pairings]
    bye, still = Nobody.BYE, Nobody.OPEN
    assert states == [
        (1, (0, bye), State.BYE),
        (1, (3, 4), State.DUE),
        (1, (1, bye), State.BYE),
        (1, (2, bye), State.BYE),
        (2, (0, still), State.OPEN),
        (2, (1, 2), State.DUE),
        (3, (still, still), State.OPEN),
    ]
    assert [one.number for one in found.waiting] == [0]
    found = played(found, found.due[0], 0.5, 0.5)
    assert found.due[0].sides == (3, 4), "a shared win is played again"
    found = played(found, found.due[0], 0.0, 1.0)
    assert [one.sides for one in found.due] == [(0, 4), (1, 2)]
    found = gone(played(found, found.due[1], 1.0, 0.0), 4)
    assert [one.sides for one in found.due] == [(0, 1)], "who left loses what is not played"
    found = played(found, found.due[0], 0.0, 1.0)
    assert found.over
    assert [(row.place, row.entrant.number, row.games, row.points) for row in found.table] == [
        (1, 1, 2, 2.0),
        (2, 0, 1, 0.0),
        (3, 2, 1, 0.0),
        (3, 4, 1, 1.0),
        (5, 3, 1, 0.0),
    ]
    assert found.biggest_turn == (found.entrant(1), 20), "of equal ones the first entrant's"


@pytest.mark.parametrize(
    ("wins", "places"),
    [
        ("0 0 3 1 1 2", [(1, 0, 2.0), (2, 1, 2.0), (3, 2, 1.0), (4, 3, 1.0)]),
        ("1 0 3 1 1 2", [(1, 1, 3.0), (2, 0, 1.0), (2, 2, 1.0), (2, 3, 1.0)]),
    ],
)
def test_equal_points_are_told_apart_by_their_own_games(
    wins: str, places: list[tuple[int, int, float]]
) -> None:
    """`wins`: who wins of 0 and 1, 0 and 2, 0 and 3, 1 and 2, 1 and 3, 2 and 3."""
    won = dict(zip(combinations(range(4), 2), map(int, wins.split()), strict=True))
    found = tournament(Form.ROUND_ROBIN, [2, 0, 3, 1])
    while not found.over:
        pairing = found.due[0]
        one, other = (side for side in pairing.sides if isinstance(side, int))
        winner = won[min(one, other), max(one, other)]
        found = played(found, pairing, float(one == winner), float(other == winner))
    assert [(row.place, row.entrant.number, row.points) for row in found.table] == places


@pytest.mark.parametrize("form", Form)
def test_before_the_start_and_ended_early(form: Form) -> None:
    found = tournament(form, [0, 1, 2])
    before = replace(found, draw=())
    assert not any((before.started, before.over, before.pairings, before.table, before.due))
    early = replace(found, ended=True)
    assert early.over
    assert len(early.table) == 3
