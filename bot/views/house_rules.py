"""House rules of a place, and how their solves go, in a few plain lines."""

from collections.abc import Sequence
from typing import Any

from bot.layout import PHONE, WIDTH, columns, room, whole_sentence, wrap
from bot.services.house_rules import DeletedRules, RulesEntry
from bot.services.rule_options import OPTION_HELP
from bot.tasks.solving import SolveProgress, SolveState
from bot.tasks.tasks import duration
from bot.views.rules_text import rules_list_data, rules_text, title_text
from solver.game.standings import state_count
from solver.rules.ruleset import Ruleset
from solver.wording import say, say_later, short

_EXAMPLE = "/rules new sunday base:classic goal:5000 three-pairs:750 hot-dice:no_bank"


_NOT_AT_WORK = {
    SolveState.WAITING: say_later(
        "{name} has to wait: other rules are solved first, which takes about {time}."
    ),
    SolveState.ELSEWHERE: say_later(
        "{name}: the same rules are already being solved elsewhere; you get that result."
    ),
    SolveState.CANCELLED: say_later("Solving {name} was cancelled; nothing of it is kept."),
}


def created_text(rules: Ruleset) -> str:
    """What was saved, before it is solved."""
    sentence = say_later(
        "{name} is saved; /rules show {name} explains it. Solving {states:,} positions now."
    )
    return wrap(say(sentence, name=rules.name, states=state_count(rules)))


def solve_progress_text(progress: SolveProgress) -> str:
    """How far a solve is, or what became of it."""
    name, time = progress.name, duration(progress.expected or 0.0)
    if reason := _NOT_AT_WORK.get(progress.state):
        return wrap(say(reason, name=name, time=time))
    if progress.state is SolveState.RUNNING:
        message, far = say_later("Solving {name}: pass {sweep}, {share:.0f} %"), progress.far
        if not far:
            ready = say_later("Solving {name}: getting ready. This takes about {time}.")
            return wrap(say(ready, name=name, time=time))
        if far.bounding:
            message = say_later("Solving {name}: proving that it is exact, {share:.0f} %")
        return wrap(say(message, name=name, sweep=far.sweep, share=far.done * 100))
    if progress.state is not SolveState.DONE:
        return wrap(whole_sentence(progress.sentence))
    share = (progress.win_probability or 0.0) * 100
    solved = say_later("{name} is solved in {seconds:.0f} s: the first player wins {share:.1f} %.")
    if progress.seconds < 0.5:
        solved = say_later("{name} is solved: the first player wins {share:.1f} %.")
    sentence = say(solved, name=name, seconds=progress.seconds, share=share)
    then = say("/rules use {name} makes it the rules here.", name=name)
    return wrap(f"{sentence} {then}")


def used_text(rules: Ruleset, *, is_solved: bool, solving: float | None = None) -> str:
    """A sentence that rules are those of the place now; `solving` is as for `shown_text`."""
    sentence, then = say("The rules here are {name} now.", name=rules.name), ""
    if solving:
        then = _solving_text(solving)
    elif not is_solved:
        then = say("They are not solved yet; /rules solve {name} does it.", name=rules.name)
    return wrap(f"{sentence} {then}".rstrip())


def cancelled_text(name: str) -> str:
    """A sentence that a solve was stopped."""
    return wrap(say(_NOT_AT_WORK[SolveState.CANCELLED], name=name))


def deleted_text(deleted: DeletedRules) -> str:
    """A sentence that rules are gone, and one on what holds in their place."""
    sentence = say("{name} is deleted.", name=deleted.name)
    if deleted.now is not None:
        sentence += " " + say("The rules here are {name} again.", name=deleted.now)
    return wrap(sentence)


def shown_text(rules: Ruleset, *, is_solved: bool, solving: float | None = None) -> str:
    """One rule set in full.

    solving : about how many seconds its solve takes, while that is under way
    """
    if is_solved:
        return rules_text(rules)
    note = say("Not solved yet; /rules solve {name} does it.", name=rules.name)
    return f"{rules_text(rules)}\n\n{wrap(_solving_text(solving) if solving else note)}"


def house_rules_text(entries: Sequence[RulesEntry]) -> str:
    """The rule sets that a place can use, its own first."""
    own = [entry for entry in entries if entry.is_own]
    shipped = [entry for entry in entries if not entry.is_own]
    default = next((entry.name for entry in entries if entry.is_default), None)
    lines = []
    if own:
        lines += [say("House rules of this place"), *_rows(own)]
    else:
        lines.append(say("There are no house rules here yet; /rules new says how to make some."))
    if shipped:
        known = [entry for entry in shipped if entry.is_solved or entry.is_solving]
        lines += [say("Rules of the program"), *_rows(known)]
        unsolved = ", ".join(entry.name for entry in shipped if entry not in known)
        lines += [wrap(say("Not solved yet: {names}.", names=unsolved))] if unsolved else []
        lines.append(wrap(say("/rules find WORDS looks for rules, /rules show NAME explains one.")))
    if default:
        lines.append(
            wrap(say("The rules here are {name}; /rules use NAME changes that.", name=default))
        )
    return "\n".join(lines)


def house_rules_data(entries: Sequence[RulesEntry]) -> list[dict[str, Any]]:
    """House rules as plain data, without what is damaged."""
    return rules_list_data([(entry.rules, entry.is_solved) for entry in entries if entry.rules])


def new_rules_help() -> str:
    """How house rules are written in one line."""
    return "\n".join(
        [
            say("/rules new NAME [base:RULES] OPTION:VALUE ..."),
            *columns((option, say(meaning)) for option, meaning in OPTION_HELP),
            say("What you leave out is as in the base (classic if you name none). For example:"),
            f"  {_EXAMPLE}",
        ]
    )


def _solving_text(seconds: float) -> str:
    return say("They are being solved now, which takes about {time}.", time=duration(seconds))


def _rows(entries: Sequence[RulesEntry]) -> list[str]:
    rows = [
        (entry.name, _status(entry), title_text(entry.rules) if entry.rules else "")
        for entry in entries
    ]
    lines = columns(rows)
    return lines if room() <= PHONE else [short(line, WIDTH) for line in lines]


def _status(entry: RulesEntry) -> str:
    if entry.rules is None:
        return say("damaged")
    if entry.is_solving and not entry.is_solved:
        return say("being solved")
    return say("solved") if entry.is_solved else say("not solved yet")
