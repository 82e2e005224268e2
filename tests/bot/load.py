"""How a busy machine is pretended."""

from bot.tasks.pressure import Degree, Pressure


def press_on(pressure: Pressure, seconds: float) -> Degree:
    """Have moves wait so long, from now on and whatever the clock says."""
    vars(pressure)["tick"] = lambda _: None  # a press on a busy machine takes longer than it lasts
    for _ in range(100):
        pressure.note(seconds)
        Pressure.tick(pressure, 0.1)
    return pressure.degree
