"""Bodies for lanes, against NumPy."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from numba import njit

from solver.game.lane_code import lane_code
from solver.game.lanes import LANES

NAMES = "one", "two", "three", "four", "out"

Arrays = dict[str, npt.NDArray[np.float64]]


def random_body(random: np.random.Generator) -> str:
    """Sums, differences, products and maxima of what is known so far, some of which is stored."""
    known, lines = [f"{float(random.random())!r}"], []
    for number in range(int(random.integers(5, 60))):
        kind = random.integers(5)
        one, other = random.choice(known), random.choice(known)
        if kind == 0:
            text = f"{random.choice(NAMES[:4])}[{random.integers(40)}]"
        elif kind == 1:
            text = f"max({one}, {other})"
        else:
            text = f"{one} {'+-*'[kind - 2]} {other}"
        if kind == 4 and random.random() < 0.5:
            text = f"{random.choice(known)} + {text}"
        lines.append(f"x{number} = {text}")
        known.append(f"x{number}")
    lines += [f"out[{number * LANES}] = {known[-1 - number]}" for number in range(3)]
    if random.random() < 0.8:
        lines.append(f"found = {random.choice(known)} - {random.choice(known)}")
    return "\n".join(lines)


def by_numpy(body: str, arrays: Arrays) -> bool:
    """Whether the code holds when NumPy runs it statement by statement."""

    class Reader:
        def __init__(self, array: npt.NDArray[np.float64]) -> None:
            self.array = array

        def __getitem__(self, place: int) -> npt.NDArray[np.float64]:
            return self.array[place : place + LANES].copy()

        def __setitem__(self, place: int, values: npt.NDArray[np.float64]) -> None:
            self.array[place : place + LANES] = values

    names = {name: Reader(array) for name, array in arrays.items()} | {"max": np.maximum}
    exec(body, {}, names)  # noqa: S102 - the test made it
    return bool(np.any(np.asarray(names.get("found", 0.0)) > 0))


def compiled(body: str) -> Callable[..., bool]:
    """The body as a function of five arrays."""
    run = lane_code(body, NAMES)

    def once(*arrays: npt.NDArray[np.float64]) -> bool:
        one, two, three, four, out = arrays
        return bool(run(one, two, three, four, out))

    found: Callable[..., bool] = njit()(once)
    return found


@pytest.mark.mostly_slow
@pytest.mark.parametrize("width", [4, 8])
@pytest.mark.parametrize("seed", range(8))
def test_a_body_does_in_all_lanes_what_it_says(
    seed: int, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever this processor has."""
    monkeypatch.setattr("solver.game.lane_code._width", lambda: width)
    random = np.random.default_rng(seed)
    body = random_body(random)
    once = compiled(body)
    for _ in range(5):
        arrays = {name: random.random(40 + LANES) for name in NAMES}
        found = {name: array.copy() for name, array in arrays.items()}
        expected = by_numpy(body, arrays)
        assert once(*found.values()) == expected
        for name, array in arrays.items():
            np.testing.assert_allclose(found[name], array, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("body", ["x = one[0] / 2.0", "one[i] = 1.0", "x += 1.0", "x = abs(1.0)"])
def test_what_cannot_be_translated_is_refused(body: str) -> None:
    with pytest.raises(NotImplementedError):
        compiled("x = 1.0\n" + body)(*np.zeros((5, 40)))
