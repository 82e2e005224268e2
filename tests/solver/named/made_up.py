"""Sets of dice and rolls at random, with hypothesis."""

from hypothesis import strategies as st

from solver.named.catalogue import Version, known_dice
from solver.named.sets import NamedDie, NamedSet, make_set, named_die
from solver.rules.ruleset import FACES
from solver.turn.dice import Die, Remaining, Roll, make_roll

EVERY_DIE = [named_die(known, version) for known in known_dice() for version in known.versions]

_weights = st.tuples(*[st.integers(0, 12)] * len(FACES)).filter(any)
_given = st.builds(
    lambda weights, jokers: NamedDie("", Version.PATCHED, Die(weights, jokers).reduced),
    _weights,
    st.frozensets(st.sampled_from(FACES), max_size=2),
)
dice = st.sampled_from(EVERY_DIE) | _given


@st.composite
def sets(draw: st.DrawFn) -> NamedSet:
    """Six dice of a few types: jokers and dice that fall alike among them."""
    some = draw(st.lists(dice, min_size=1, max_size=4))
    return make_set(draw(st.lists(st.sampled_from(some), min_size=6, max_size=6)))


@st.composite
def rolls(draw: st.DrawFn, named: NamedSet) -> tuple[Remaining, Roll]:
    """Some dice of a set, and what they show."""
    thrown = named.dice_set
    remaining = draw(st.integers(1, thrown.whole))
    shown = [
        len(FACES) * k + draw(st.sampled_from([f for f in FACES if die.weights[f - 1]]))
        for k, (die, number) in enumerate(
            zip(thrown.types, thrown.remaining[remaining], strict=True)
        )
        for _ in range(number)
    ]
    return remaining, make_roll(shown)
