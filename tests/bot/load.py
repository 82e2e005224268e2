"""How a busy machine is pretended."""

from bot.tasks.pressure import Degree, Pressure


def press_on(pressure: Pressure, seconds: float) -> Degree:
    """Have moves wait so long for a while."""
    for _ in range(100):
        pressure.note(seconds)
        pressure.tick(0.1)
    return pressure.degree
