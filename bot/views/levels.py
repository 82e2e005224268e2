"""The strength of the levels of play, as text and as data."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bot.layout import columns, percent, rough_percent, wrap
from bot.views.sheet import Sheet, sheet
from solver.play.drills import Spot
from solver.play.policies import LEVELS
from solver.play.strengths import Strength, Strengths
from solver.rules.ruleset import Ruleset
from solver.wording import figure, say, say_later

SPOTS = {
    Spot.NEAR_GOAL: say_later("near the goal"),
    Spot.FARKLES: say_later("with farkles in a row"),
    Spot.OPENING: say_later("before the first bank"),
    Spot.HOT_DICE: say_later("after hot dice"),
    Spot.FEW_DICE: say_later("with three dice or fewer"),
    Spot.MANY_DICE: say_later("with four dice or more"),
}
"""What spots are called, as `say` takes it."""


def level_list_text(rules: Ruleset, strengths: Mapping[str, Strength] | None) -> str:
    """The levels, what each does and, where that was measured, how often it wins."""
    rows = []
    exact = strengths is not None and not any(level.standard_error for level in strengths.values())
    for name, what in LEVELS.items():
        wins: tuple[str, ...] = ()
        if strengths and (strength := strengths.get(name)):
            wins = (percent(strength.win_rate),)
            if not exact:
                error = figure(100 * strength.standard_error, ".1f")
                wins = rough_percent(strength.win_rate), f"+- {error}"
        rows.append((name, *wins, say(what)))
    measured = say_later(
        "How strong they are under {rules} rules has not been measured yet; only the person who"
        " runs this program can do that."
    )
    if exact:
        measured = say_later("Chances to win against optimal play under {rules} rules, exact.")
    elif strengths:
        measured = say_later(
            "Games won against optimal play under {rules} rules, with the standard error."
        )
    lines = [say("Levels of bots:"), *columns(rows, right={1} if strengths else ())]
    return wrap("\n".join([*lines, say(measured, rules=rules.name)]))


def level_list_data(strengths: Mapping[str, Strength] | None) -> list[dict[str, Any]]:
    """The levels as plain data."""
    measured = {name: strength.model_dump() for name, strength in (strengths or {}).items()}
    return [
        {"level": name, "summary": what, "strength": measured.get(name)}
        for name, what in LEVELS.items()
    ]


def levels_text(strengths: Strengths, kept: Strengths, path: Path) -> str:
    """A row for each level: how often it wins; `kept` is what the file holds now."""
    exact, form = strengths.is_exact, percent if strengths.is_exact else rough_percent
    rows = [("level", "wins", *(() if exact else ("error",)), "beginning", "second")]
    for name, strength in strengths.levels.items():
        wins, *starts = map(form, (strength.win_rate, strength.began, strength.replied))
        error = () if exact else (figure(100 * strength.standard_error, ".1f"),)
        rows.append((name, wins, *error, *starts))
    head = f"{strengths.rules} rules, the exact chance of each level to win against optimal play:"
    if not exact:
        head = (
            f"{strengths.rules} rules, each level against optimal play in {strengths.games:,}"
            f" games, seed {strengths.seed}:"
        )
    better = "an exact study" if kept.is_exact else f"a study of {kept.games:,} games"
    is_kept = kept is strengths or exact
    lines = [
        head,
        *columns(rows, right={1, 2, 3, 4}),
        *([] if exact else ["Error: the standard error in percentage points."]),
        f"Kept in {path}." if is_kept else f"Not kept: {path} has {better}; --replace replaces it.",
    ]
    return "\n".join(lines)


def levels_data(strengths: Strengths, kept: Strengths, path: Path) -> dict[str, Any]:
    """The strengths as data, with the file and whether it holds them."""
    return strengths.model_dump() | {"file": str(path), "kept": kept is strengths}


def levels_sheet(strengths: Strengths) -> Sheet:
    """A row for each level."""
    columns = ("level", *Strength.model_fields)
    return sheet(columns, ({"level": k} | v.model_dump() for k, v in strengths.levels.items()))
