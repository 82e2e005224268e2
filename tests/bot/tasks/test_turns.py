"""Turns among people, whatever each of them asks for."""

from hypothesis import given
from hypothesis import strategies as st

from bot.tasks.tasks import Asker, Turns, Waiting

asks = st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz"))
steps = st.lists(st.one_of(asks, st.just("take"), st.integers(0, 9)), max_size=60)


@given(steps)
def test_nobody_is_passed_more_than_once_by_anybody(done: list[object]) -> None:
    """While something is the only one of its person each other person has one turn at most.

    Two, if they had their own turn of the round before they asked.
    """
    turns: Turns[int] = Turns()
    waiting: list[Waiting[int]] = []
    passed: dict[int, list[str]] = {}
    """For each thing that is alone of its person, those who had a turn since."""
    most: dict[int, int] = {}
    now, served = 0, set[str]()
    for number, step in enumerate(done):
        if isinstance(step, tuple):
            asker = Asker(*step)
            if all(one.asker.person != asker.person for one in waiting):
                passed[number], most[number] = [], 2 if asker.person in served else 1
            waiting.append(turns.add(asker, number))
        elif isinstance(step, int) and waiting:
            gone = waiting.pop(step % len(waiting))
            turns.remove(gone)
            passed.pop(gone.what, None)
        elif step == "take" and waiting:
            taken = turns.take()
            [one] = [one for one in waiting if one.what == taken]
            waiting.remove(one)
            passed.pop(taken, None)
            if one.order[0] > now:
                now, served = one.order[0], set()
            assert one.asker.person not in served
            served.add(one.asker.person)
            for others in passed.values():
                others.append(one.asker.person)
        assert len(turns) == len(waiting)
        for which, others in passed.items():
            assert all(others.count(who) <= most[which] for who in others)


@given(st.lists(asks, min_size=1, max_size=40))
def test_of_one_person_what_came_first_is_first(asked: list[tuple[str, str]]) -> None:
    turns: Turns[int] = Turns()
    all_waiting = [turns.add(Asker(*one), number) for number, one in enumerate(asked)]
    foreseen = [[*turns.before(one), one.what] for one in all_waiting]
    order = [turns.take() for _ in asked]
    for person in "abcd":
        own = [number for number in order if asked[number][0] == person]
        assert own == sorted(own)
    # and all of it was known before
    for number, before in enumerate(foreseen):
        assert sorted(before) == sorted(order[: order.index(number) + 1])


def test_who_thinks_better_of_it_loses_no_turn() -> None:
    turns: Turns[str] = Turns()
    for name in ("ann", "bob", "ann"):
        waits = turns.add(Asker(name, "here"), name)
    turns.remove(waits)
    gone = turns.add(Asker("carl", "here"), "gone")
    turns.remove(gone)
    turns.add(Asker("ann", "here"), "again")
    turns.add(Asker("carl", "here"), "carl")
    assert [turns.take() for _ in range(4)] == ["ann", "bob", "carl", "again"]


def test_one_who_asks_for_much_is_one_of_all() -> None:
    turns: Turns[str] = Turns()
    for number in range(24):
        turns.add(Asker("mallory", f"place {number}"), "mallory")
    assert turns.take() == "mallory"
    for name in ("ann", "bob"):
        turns.add(Asker(name, "elsewhere"), name)
    assert [turns.take() for _ in range(4)] == ["ann", "bob", "mallory", "mallory"]


def test_places_take_turns_where_people_are_alike() -> None:
    turns: Turns[str] = Turns()
    for number in range(3):
        turns.add(Asker(f"guest {number}", "crowded"), "crowded")
    turns.add(Asker("ann", "quiet"), "quiet")
    assert [turns.take() for _ in range(4)] == ["crowded", "quiet", "crowded", "crowded"]
