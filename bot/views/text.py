"""Replies as plain text, aligned for a fixed-width font."""

import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

from bot.advice import Advice, Odds, TurnCells
from solver.dice import Roll
from solver.position import Position, in_play_off, points_to_beat, reachable_at
from solver.rules import Ruleset
from solver.scoring import Fate
from solver.strategy import Manifest
from solver.turn import Decision


def percent(probability: float) -> str:
    """A probability with two decimals; the ends only for what is certain."""
    if 0 < probability < 0.00005:
        return "< 0.01 %"
    if 0.99995 <= probability < 1:
        return "> 99.99 %"
    return f"{probability * 100:.2f} %"


def advice_text(advice: Advice) -> str:
    """The options, best first, with what each costs against the best."""
    roll, best = dice_text(advice.roll), advice.win_probability
    where = position_text(advice.rules, advice.position)
    head = wrap(f"{roll}: {where}, {advice.rules.name} rules")
    if advice.fate is not Fate.SCORES:
        return f"{head}\n{_fate_text(advice)}"
    rows = []
    for option in advice.options:
        cost = best - option.win_probability
        rows.append(
            (
                f"keep {dice_text(option.set_aside)}",
                f"{option.points:,} points",
                f"turn {option.turn_total:,}",
                dice_count(option.dice_left) if option.set_aside != advice.roll else "hot dice",
                option.action,
                percent(option.win_probability),
                _cost(cost),
            )
        )
    return "\n".join([head, *columns(rows, right={1, 2, 5})])


def odds_text(odds: Odds) -> str:
    """Roll or bank, and what each is worth."""
    rules, position = odds.rules, odds.position
    head = wrap(
        f"{position_text(rules, position)}, {dice_count(position.dice)} to roll, {rules.name} rules"
    )
    roll = ("roll", percent(odds.roll), _risks_text(odds))
    if odds.bank is None:
        why = _no_bank_text(rules, position)
        return "\n".join([head, *columns([roll, ("bank", "-", why)], right={1})])
    bank = ("bank", percent(odds.bank), _bank_text(rules, position))
    cost = _cost(abs(odds.bank - odds.roll))
    rows = [(*roll, cost), (*bank, "best")]
    if odds.action == Decision.ROLL:
        rows = [(*roll, "best"), (*bank, cost)]
    else:
        rows.reverse()
    return "\n".join([head, *columns(rows, right={1})])


def turn_text(turn: TurnCells) -> str:
    """The whole turn: turn totals down, dice to roll across, win probability in percent."""
    dice = sorted({cell.dice for cell in turn.cells}, reverse=True)
    marks = {Decision.ROLL: " ", Decision.BANK: "B", Decision.WIN: "W"}
    wins = any(cell.action is Decision.WIN and cell.reachable for cell in turn.cells)
    lines = [
        wrap(f"{position_text(turn.rules, turn.position)}, {turn.rules.name} rules"),
        f"Win probability {percent(turn.win_probability)} at the start of the turn; in % by turn"
        " total and dice:",
        f"B: bank, {'W: bank and win, ' if wins else ''}else roll; ·: cannot occur",
        f"{'':>7}" + "".join(f"{number:>8} " for number in dice),
    ]
    cells = {(cell.turn_total, cell.dice): cell for cell in turn.cells}
    totals = sorted({cell.turn_total for cell in turn.cells})
    shown = [total for total in totals if total <= _last_worth_showing(turn)]
    for total in shown:
        row = [cells[total, number] for number in dice]
        if not any(cell.reachable for cell in row):
            continue
        lines.append(
            f"{total:>7,}"
            + "".join(
                f"{cell.win_probability * 100:>8.3f}{marks[cell.action]}"
                if cell.reachable
                else f"{'·':>8} "
                for cell in row
            ).rstrip()
        )
    if shown != totals:
        lines.append("From there on: bank.")
    if len(turn.rules.hot_dice_bonus) > 1 and not turn.position.hot_dice:
        lines.append("The turn before its first hot dice; --hot-dice 1 shows it after them.")
    return "\n".join(line.rstrip() for line in lines)


def _last_worth_showing(turn: TurnCells) -> int:
    """The last turn total that does not reach the goal or from which something may be rolled."""
    missing = turn.rules.winning_score - turn.position.banked
    rolled = [cell.turn_total for cell in turn.cells if cell.action is Decision.ROLL]
    return max([missing - turn.rules.point_step, *rolled])


def solve_text(manifest: Manifest, file: Path, residual: float | None = None) -> str:
    """What a solve came to."""
    rate = manifest.states_per_second / 1e6
    lines = [
        f"{manifest.rules.name}: {manifest.states:,} states solved in {manifest.seconds:.1f} s,"
        f" {manifest.sweeps} sweeps, {rate:,.1f} million states a second",
        f"The last sweep changed no value by more than {manifest.largest_relative_change:.1e} of"
        " itself.",
    ]
    if residual is not None:
        lines.append(f"In every state the equations hold to {residual:.1e} of its value.")
    if manifest.rules.penalty_points:
        lines.append(
            f"Scores below {manifest.floor:,} count as {manifest.floor:,}; `farkle study floor`"
            " says what that changes."
        )
    return "\n".join([*lines, f"{file}: {manifest.bytes:,} bytes"])


def rules_list_text(known: Sequence[tuple[Ruleset, bool]]) -> str:
    """One line for each rule set."""
    rows = [
        (rules.name, "solved" if solved else "not solved yet", rules.title)
        for rules, solved in known
    ]
    return "\n".join(columns(rows))


def wrap(text: str, width: int = 79) -> str:
    """Break lines that are too long at spaces, but not before a percent sign.

    What goes on is set two spaces further in.
    """
    wrapped = []
    for line in text.replace(" %", "\N{NO-BREAK SPACE}%").split("\n"):
        inner = line[: len(line) - len(line.lstrip())] + "  "
        lines = textwrap.wrap(
            line, width, subsequent_indent=inner, break_long_words=False, break_on_hyphens=False
        )
        wrapped += lines if len(line) > width else [line]
    return "\n".join(wrapped).replace("\N{NO-BREAK SPACE}%", " %")


def position_text(rules: Ruleset, position: Position) -> str:
    """Scores, turn total, farkles in a row and what else the rules make matter, in a few words."""
    parts = [
        f"you {position.banked:,}, them {position.opponent:,}",
        *_boards(rules, position),
        *_stage(rules, position),
    ]
    if position.turn_total:
        parts.append(f"turn total {position.turn_total:,}")
    if hot := _hot_dice(rules, position):
        parts.append(hot)
    if position.farkles:
        parts.append(f"{farkle_count(position.farkles)} in a row")
    if position.opponent_farkles:
        parts.append(f"their {farkle_count(position.opponent_farkles)} in a row")
    return ", ".join(parts)


def dice_text(dice: Roll) -> str:
    """Faces with a space between them."""
    return " ".join(map(str, dice))


def columns(rows: Iterable[Sequence[str]], right: Iterable[int] = ()) -> list[str]:
    """Align rows of cells, two spaces in and two between; the columns in `right` at their end."""
    table = [list(row) for row in rows]
    last = max((len(row) for row in table), default=0)
    widths = [max(len(row[k]) for row in table if k < len(row)) for k in range(last)]
    aligned = set(right)
    return [
        "  "
        + "  ".join(
            cell.rjust(widths[k]) if k in aligned else cell.ljust(widths[k])
            for k, cell in enumerate(row)
        ).rstrip()
        for row in table
    ]


def _boards(rules: Ruleset, position: Position) -> list[str]:
    """Who is on the board, where the scores do not tell."""
    # a score that never falls tells it: who has no points has not banked before
    if not rules.has_opening or not (rules.farkle_penalty or rules.lose_everything):
        return []
    told = []
    for whose, score, on_board in (
        ("", position.banked, position.on_board),
        ("them ", position.opponent, position.opponent_on_board),
    ):
        if score <= 0:
            told.append(f"{whose}{'' if on_board else 'not '}on the board")
    if told == ["not on the board", "them not on the board"]:
        return ["neither on the board"]
    return told


def _stage(rules: Ruleset, position: Position) -> list[str]:
    """A final turn, a play-off or, where it matters, who began."""
    beat = points_to_beat(rules, position)
    if in_play_off(rules, position):
        if beat is None:
            return ["play-off, you begin"]
        return [f"play-off with {beat:,} to beat" if beat else "play-off, any points win"]
    if beat is not None:
        return [f"final turn with {beat:,} to beat"]
    if rules.has_roles:
        return ["you began" if position.began else "they began"]
    return []


def _hot_dice(rules: Ruleset, position: Position) -> str:
    """Hot dice so far, where their bonus changes and the turn total does not tell."""
    possible = reachable_at(rules, position.turn_total)[:, position.dice - 1]
    level = min(position.hot_dice, len(possible) - 1)
    if possible[level] and possible.sum() == 1:
        return ""
    more = " or more" if level == len(possible) - 1 > 0 else ""
    return f"after {level}{more} hot dice"


def _fate_text(advice: Advice) -> str:
    """What a roll means that leaves no choice."""
    left = f"Win probability left: {percent(advice.win_probability)}"
    if advice.fate is Fate.WINS:
        return "This roll wins the game."
    if advice.fate is Fate.LOSES:
        # after the other player has reached the goal there is no turn to make up for it
        if advice.position.opponent >= advice.rules.winning_score:
            return "This roll loses the game."
        return f"This roll loses everything. {left}"
    if advice.keeps_turn_total:
        return f"Farkle, nothing scores; {advice.position.turn_total:,} points are banked. {left}"
    return f"Farkle, nothing scores. {left}"


def _risks_text(odds: Odds) -> str:
    """Chances of the rolls that end the turn."""
    text = f"farkle chance {percent(odds.farkle_probability)}"
    if odds.instant_win_probability:
        text += f", wins {percent(odds.instant_win_probability)}"
    if odds.lose_everything_probability:
        text += f", loses all {percent(odds.lose_everything_probability)}"
    return text


def _no_bank_text(rules: Ruleset, position: Position) -> str:
    """Why the turn total may not be banked."""
    if not position.turn_total:
        return "nothing to bank yet"
    least = _least_bank(rules, position)
    if position.turn_total >= least:
        return "hot dice must be rolled"
    if not position.on_board and least == rules.opening_minimum > rules.minimum_bank:
        return f"not enough to bank, {least:,} to get on the board"
    return f"not enough to bank, at least {least:,}"


def _least_bank(rules: Ruleset, position: Position) -> int:
    """Least turn total that may be banked in a position."""
    if position.opponent >= rules.winning_score:
        return rules.least_bank(on_board=position.on_board, wins=True)
    return rules.least_bank_at(position.banked, on_board=position.on_board)


def _bank_text(rules: Ruleset, position: Position) -> str:
    """What banking the turn total leads to."""
    beat = points_to_beat(rules, position)
    if beat is not None:
        ahead = position.turn_total - beat
        return _tie_text(rules) if ahead == 0 else f"{'wins' if ahead > 0 else 'loses'} the game"
    if in_play_off(rules, position):
        return "gives them one turn to beat it"
    total = position.banked + position.turn_total
    if total < rules.winning_score:
        return f"{total:,} to {position.opponent:,}"
    if rules.ending == "final_turn" or (rules.has_roles and position.began):
        return f"{total:,} to {position.opponent:,}, gives them one final turn"
    return "wins the game"


def _tie_text(rules: Ruleset) -> str:
    """What a tie in the last turn means."""
    return {
        "earlier": "ties, and they win, as they reached the goal first",
        "shared": "ties, half a win for each",
        "played_on": "ties, and a play-off follows",
    }[rules.ties]


def dice_count(number: int) -> str:
    """A number of dice in words."""
    return "1 die" if number == 1 else f"{number} dice"


def farkle_count(number: int) -> str:
    """A number of farkles in words."""
    return "1 farkle" if number == 1 else f"{number} farkles"


def _cost(difference: float) -> str:
    """What a choice costs against the best, in percentage points."""
    if difference == 0:
        return "best"
    return f"-{difference * 100:.2f}" if difference >= 0.00005 else "-< 0.01"
