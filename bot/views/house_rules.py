"""House rules of a place, and how their solves go, in a few plain lines."""

from collections.abc import Sequence

from bot.services.house_rules import RulesEntry
from bot.services.rule_options import OPTION_HELP
from bot.services.solve_process import SolveProgress, SolveState
from bot.views.rules_text import rules_text
from bot.views.text import columns, wrap
from solver.complaints import short
from solver.rules import Ruleset
from solver.solution import state_count

_WIDTH = 79
_EXAMPLE = "/rules new sunday base:classic goal:5000 three-pairs:750 hot-dice:no_bank"


def created_text(rules: Ruleset) -> str:
    """What was saved, before it is solved."""
    return wrap(
        f"{rules.name} is saved; /rules {rules.name} explains it."
        f" There are {state_count(rules):,} states to solve."
    )


def solve_progress_text(progress: SolveProgress) -> str:
    """How far a solve is, or what became of it."""
    name = progress.name
    if progress.state is SolveState.WAITING:
        return wrap(f"{name} waits for its turn: another solve is under way.")
    if progress.state is SolveState.RUNNING:
        if not progress.sweep:
            return wrap(f"Solving {name}: getting ready.")
        return wrap(f"Solving {name}: sweep {progress.sweep}, {progress.done * 100:.0f} %")
    if progress.state is SolveState.CANCELLED:
        return wrap(f"The solve of {name} is cancelled; nothing of it is kept.")
    if progress.state is not SolveState.DONE:
        return wrap(progress.sentence)
    took = f" in {progress.seconds:.0f} s" if progress.seconds >= 0.5 else ""
    chance = progress.win_probability
    wins = f": the first player wins {chance * 100:.1f} %" if chance is not None else ""
    return wrap(f"{name} is solved{took}{wins}. /rules use {name} makes it the rules here.")


def used_text(rules: Ruleset, *, is_solved: bool) -> str:
    """That rules are those of the place now."""
    more = "" if is_solved else f" They are not solved yet: /rules solve {rules.name}"
    return wrap(f"The rules here are {rules.name} now.{more}")


def deleted_text(name: str) -> str:
    """That rules are gone."""
    return wrap(f"{name} is deleted.")


def entry_text(entry: RulesEntry) -> str:
    """One rule set in full."""
    if entry.rules is None:
        return _damaged(entry)
    lines = [rules_text(entry.rules)]
    if not entry.is_solved:
        lines += ["", wrap(f"Not solved yet: /rules solve {entry.name}")]
    return "\n".join(lines)


def house_rules_text(entries: Sequence[RulesEntry]) -> str:
    """The rule sets that a place can use, its own first."""
    own = [entry for entry in entries if entry.is_own]
    shipped = [entry for entry in entries if not entry.is_own]
    default = next((entry.name for entry in entries if entry.is_default), None)
    lines = []
    if own:
        lines += ["House rules of this place", *_rows(own)]
    else:
        lines.append("No house rules were made here yet; /rules new says how.")
    if shipped:
        lines += ["Rules of the program", *_rows(shipped)]
    if default:
        lines.append(wrap(f"The rules here are {default}; /rules use NAME changes that."))
    return "\n".join(lines)


def new_rules_help() -> str:
    """How house rules are written in one line."""
    return "\n".join(
        [
            "/rules new NAME [base:RULES] OPTION:VALUE ...",
            *columns(OPTION_HELP),
            "What is left out is as in the base, classic if you name none. For example:",
            f"  {_EXAMPLE}",
        ]
    )


def _rows(entries: Sequence[RulesEntry]) -> list[str]:
    rows = [
        (entry.name, _status(entry), entry.rules.title if entry.rules else "") for entry in entries
    ]
    return [short(row, _WIDTH) for row in columns(rows)]


def _status(entry: RulesEntry) -> str:
    if entry.rules is None:
        return "damaged"
    return "solved" if entry.is_solved else "not solved yet"


def _damaged(entry: RulesEntry) -> str:
    return wrap(f"What is saved of {entry.name} is damaged: /rules delete {entry.name}")
