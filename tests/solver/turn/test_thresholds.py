import numpy as np

from solver.turn.points import BankFrom, bank_from


def table(*columns: str) -> tuple[np.ndarray, np.ndarray]:
    """Where to bank (B, b) and what can occur (B, r), a column for 1, 2, ... dice."""
    letters = np.array([list(column) for column in columns]).T
    return np.isin(letters, ["B", "b"]), np.isin(letters, ["B", "r"])


def test_when_to_bank_with_each_number_of_dice() -> None:
    banks, possible = table("r.brbB", "..bb.b", "r.BBrB", "rrrrrr", "rB.r.r", ".rBrBr")
    assert bank_from(banks, possible, 50) == (
        BankFrom(6, 100, ((150, 150), (250, None))),
        BankFrom(5, 50, ((150, None),)),
        BankFrom(4, None),
        BankFrom(3, 100, ((200, 200),)),
        BankFrom(1, 250),
    )
