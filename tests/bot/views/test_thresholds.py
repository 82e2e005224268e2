"""When to bank, in words."""

import pytest

from bot.views.thresholds import bank_from_text
from solver.turn.points import BankFrom


@pytest.mark.parametrize(
    ("threshold", "said"),
    [
        (BankFrom(2, None), "never"),
        (BankFrom(2, 300), "from 300 on"),
        (BankFrom(2, 850, ((1100, 1150),)), "from 850 on, not at 1,100 to 1,150"),
        # beyond an exact goal nothing can be banked
        (BankFrom(2, 450, ((500, None),)), "only at 450"),
        (BankFrom(2, 450, ((600, 650), (900, None))), "only at 450 to 550, 700 to 850"),
    ],
)
def test_when_to_bank(threshold: BankFrom, said: str) -> None:
    assert bank_from_text([threshold], 50).splitlines()[1].split("  ")[-1] == said
