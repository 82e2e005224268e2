"""A table to memorise as people read it: the parts of its page, as text, data, sheet and picture.

The picture is a page to print or to look at on a phone: A5, black on white.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

from bot.features.memo.service import MemoAnswer, MemoExample
from bot.layout import (
    cleaned,
    columns,
    dice_count,
    escape_markdown,
    on_phone,
    percent,
    plain_markdown,
    safe_text,
    whole_sentence,
    wrap,
)
from bot.tasks.tasks import duration
from bot.views import drawing
from bot.views.card import Attachment, Button, Card
from bot.views.sheet import Sheet
from solver.play.memo import GoForIt, Thumb, banked_dice
from solver.play.memo_study import MemoStudy
from solver.rules.ruleset import Ruleset
from solver.turn.dice import dice_text
from solver.turn.memo import MemoTable
from solver.wording import and_text, figure, say, say_later, say_number


@dataclass(frozen=True, slots=True)
class Heading:
    """A line above a part of a page."""

    text: str


Grid = list[tuple[str, ...]]
"""Rows of a page, all columns but the first at their right end; the first row is their heads."""

Part = Grid | Heading | str
"""A paragraph is plain text."""


def memo_page(answer: MemoAnswer) -> list[Part]:
    """The parts of the page, from above; the first is its title."""
    rules, study = answer.table.rules, answer.study
    parts: list[Part] = [
        Heading(say("A table to memorise: {rules} rules", rules=rules.name)),
        _axes(),
        _table(answer.table),
        _use(),
    ]
    parts += [_example_text(answer.example)] if answer.example else []
    parts += _notes(rules)
    if study is None:
        parts.append(_left_out(answer))
        return parts
    parts += _go_for_it(rules, study.go_for_it)
    parts += [
        Heading(say("A rule of thumb")),
        thumb_text(study.thumb, rules),
        Heading(say("How often it wins")),
        _worth(study),
        say(
            "Exact chances to win against optimal play. Points are the average of a turn"
            " without a goal; the most possible is {points:,.1f}.",
            points=study.most_points,
        ),
    ]
    return parts


def memo_text(answer: MemoAnswer) -> str:
    """The page for a fixed-width font."""
    lines: list[str] = []
    for part in memo_page(answer):
        match part:
            case Heading():
                lines.append(f"{part.text}:")
            case list():
                lines += grid_lines(part)
            case _:
                lines.append(wrap(part))
    return "\n".join(lines)


def grid_lines(grid: Grid) -> list[str]:
    """The rows of a grid for a fixed-width font."""
    return columns(grid, right=range(1, len(grid[0])))


def memo_notes() -> str:
    """How the table of any rules is used."""
    return f"{_axes()}\n{_use()}"


def _axes() -> str:
    return say("Across: dice left to roll. Down: what they are worth. Numbers: turn totals.")


def _use() -> str:
    return say(
        "For each choice, go to the column of the dice it leaves you and find the largest"
        " number not above your turn total: its row says how many points those dice are"
        " worth. Keep the choice with the highest sum of turn total and worth (if sums are"
        " equal, prefer one you bank, then more dice left, then more points). Bank if the"
        " row says {bank} or if that wins; otherwise roll.",
        bank=_bank_row(),
    )


def memo_data(answer: MemoAnswer) -> dict[str, Any]:
    """All of it as plain data."""
    table = answer.table
    return {
        "rules": answer.table.rules.name,
        "unit": table.unit,
        "columns": [asdict(column) for column in table.columns],
        "most_points": table.points,
        "example": asdict(answer.example) if answer.example else None,
        "study": answer.study.model_dump() if answer.study else None,
    }


def memo_sheet(answer: MemoAnswer) -> Sheet:
    """The turn totals from which on each gain counts, by dice."""
    rows = (
        (column.dice, point.turn_total, point.gain)
        for column in answer.table.columns
        for point in column.breaks
    )
    return Sheet(("dice", "turn_total", "gain"), tuple(rows))


def thumb_text(thumb: Thumb, rules: Ruleset) -> str:
    """A rule of thumb in words."""
    keep = {
        "most points": say_later("Set aside what scores most."),
        "fewest dice": say_later(
            "Set aside all dice if they score; otherwise as few as possible, and of those the"
            " ones that score most."
        ),
        "bank first": say_later(
            "Set aside all dice if they score; otherwise the most points if you can then bank"
            " by the numbers below; otherwise as few dice as possible, and of those the ones"
            " that score most."
        ),
        "points for dice": say_later(
            "Set aside what gives the most points, counting {points:,} for each die left to"
            " roll on top of the turn total; after hot dice all dice are left."
        ),
    }[thumb.keep]
    if thumb.beyond and thumb.keep == "points for dice":
        keep = say_later(
            "Set aside what gives the most points, counting {points:,} for each die left to"
            " roll beyond {dice} on top of the turn total; after hot dice all dice are left."
        )
    steps = [say(keep, points=thumb.per_die, dice=dice_count(thumb.beyond))]
    banks, first = [], 1
    groups = zip(thumb.most_dice, thumb.bank, strict=True)
    for points, alike in groupby(groups, key=itemgetter(1)):
        *_, (most, _) = alike
        banks += [_bank_text(points, *run) for run in _runs(banked_dice(rules, first, most))]
        first = most + 1
    steps.append(say("Bank {turn_totals}, and whenever that wins.", turn_totals=and_text(banks)))
    counted = banked_dice(rules, 1, first - 1)
    if counted[-1] < rules.dice:
        steps.append(say("With more dice left, roll on."))
    elif len(counted) < rules.dice:
        steps.append(say("With any other number of dice left, roll on."))
    return " ".join(steps)


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first and the last of numbers that follow each other."""
    for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        stretch = [number for _, number in run]
        yield stretch[0], stretch[-1]


def _bank_text(points: int, fewest: int, most: int) -> str:
    if fewest < most:
        several = say_later("from {points:,} with {fewest} to {most} dice left")
        return say(several, points=points, fewest=fewest, most=most)
    return say_number("from {points:,} with {number} [die|dice] left", most, points=points)


def _table(table: MemoTable) -> Grid:
    """Gains downwards, dice across, and in between the turn totals from which on they count."""
    dice = [column.dice for column in table.columns]
    rows: Grid = [(say("worth"), *map(dice_count, dice))]
    for gain in table.counts:
        cells = [", ".join(map(figure, table.froms(gain, number))) for number in dice]
        rows.append((_bank_row() if gain == 0 else figure(gain), *cells))
    return rows


def _bank_row() -> str:
    return say("bank").upper()


def _example_text(example: MemoExample) -> str:
    rolls = say_later("{kept} leaves {dice}: {total:,} + {gain:,} = {sum:,}")
    banks = say_later("{kept} banks {total:,}")
    clauses = [
        say(
            banks if choice.bank else rolls,
            kept=dice_text(choice.set_aside),
            dice=dice_count(choice.dice_left),
            total=choice.turn_total,
            gain=choice.gain,
            sum=choice.turn_total + choice.gain,
        )
        for choice in example.choices
    ]
    best = example.choices[0]
    kept, dice = dice_text(best.set_aside), dice_count(best.dice_left)
    then = say_later("So keep {kept} and roll {dice}.")
    if best.bank:
        then = say_later("So keep {kept} and bank.")
    first = say("For example, a turn begins with {roll}.", roll=dice_text(example.roll))
    return f"{first} {'; '.join(clauses)}. {say(then, kept=kept, dice=dice)}"


def _must_roll(rules: Ruleset) -> Iterator[str]:
    """Where a player may not bank, whatever the turn total."""
    if rules.hot_dice != "optional":
        yield say("After hot dice you must roll, even where the table says bank.")
    if len(rules.needs) > 1:
        yield say("Where something has to be confirmed you must roll, whatever the table says.")
    if rules.bank_dice_left < rules.dice - 1:
        yield say_number(
            "Where more than [one die is|{number} dice are] left you must roll.",
            rules.bank_dice_left,
        )


def _notes(rules: Ruleset) -> Iterator[str]:
    """What a player has to know besides the table."""
    if rules.minimum_bank or rules.has_opening:
        yield say("Where you may not bank yet, roll.")
    if rules.has_opening:
        yield say("This assumes that you are on the board.")
    yield from _must_roll(rules)
    if rules.hot_dice_counted > 1:
        yield say(
            "The table holds before the first hot dice of a turn; then points count otherwise."
        )
    for rule, note in _LEFT_OUT.items():
        if rule in rules.decisive or getattr(rules, rule, False):
            yield say(note)
    if rules.ending != "at_once" or rules.rounds:
        yield say("In a last turn, roll until you have beaten the other player.")


_LEFT_OUT = {
    "farkle_penalty": say_later("The table leaves out the penalty for farkles in a row."),
    "loses_score": say_later("The table leaves out that a roll may cost your whole score."),
    "loses_game": say_later("The table leaves out that a roll may lose the game."),
    "wins_game": say_later(
        "The table counts a roll that wins at once only as banking the turn total."
    ),
    "barred": say_later("The table leaves out that no bank may leave some scores."),
    "caught_up": say_later("The table leaves out that who is caught up falls back."),
    "is_exact": say_later("The table leaves out that the goal has to be met exactly."),
    "takes_over": say_later("The table leaves out what may be taken over, and what a bank leaves."),
    "beat_previous_turn": say_later("The table leaves out that a turn has to beat the one before."),
    "rounds": say_later("The table leaves out who leads, and how many rounds are left."),
}
"""What the table takes no notice of, by what rules have it."""


def _left_out(answer: MemoAnswer) -> str:
    """Why the page ends with the table, and what would change that."""
    if answer.refused:
        return say(
            "When to risk everything, a rule of thumb and how often all this wins are not told."
            " {why}",
            why=whole_sentence(str(answer.refused)),
        )
    if answer.put_off:
        return say(
            "When to risk everything, a rule of thumb and how often all this wins are not"
            " worked out yet. That takes about {time}: run farkle memo {rules} once where this"
            " program runs, and /memo shows them from then on.",
            time=duration(answer.put_off.seconds),
            rules=answer.put_off.reference,
        )
    return say(
        "When to risk everything, a rule of thumb and how often all this wins can be worked"
        " out once the rules {rules} are solved.",
        rules=answer.table.rules.name,
    )


def _go_for_it(rules: Ruleset, go_for_it: GoForIt) -> Iterator[Part]:
    yield Heading(say("When to risk everything"))
    rows: Grid = [(say("dice left"), say("you have"), say("or they have"))]
    both = zip(range(1, rules.dice + 1), go_for_it.own, go_for_it.other, strict=False)
    for scores, alike in groupby(reversed(list(both)), key=itemgetter(1, 2)):
        dice = [number for number, _, _ in alike]
        if scores != (None, None):
            own, other = (_score(rules, one) for one in scores)
            rows.append((_dice_range(dice[-1], dice[0]), own, other))
    if len(rows) == 1:
        yield say("It never pays to roll on where the table says to bank.")
        return
    yield say(
        "Near the end, bank only what wins. With the dice in the first column left to roll,"
        " this starts as soon as you (before the turn) or the other player have this many"
        " points:"
    )
    yield rows


def _dice_range(fewest: int, most: int) -> str:
    if fewest == most:
        return dice_count(most)
    return say("{fewest} to {most} dice", fewest=fewest, most=most)


def _score(rules: Ruleset, score: int | None) -> str:
    if score is None:
        return say("never")
    return say("any score") if score <= rules.score_floor else figure(score)


def _worth(study: MemoStudy) -> Grid:
    heads = say("going first"), say("going second"), say("overall"), say("points a turn")
    rows: Grid = [("", *heads)]
    ways = (
        (say("by the table"), study.memo),
        (say("and risk everything"), study.memo_go_for_it),
        (say("rule of thumb"), study.rule_of_thumb),
    )
    for name, worth in ways:
        chances = map(percent, (worth.as_first, worth.as_second, worth.overall))
        rows.append((name, *chances, figure(worth.points, ",.1f")))
    optimal = map(percent, (study.optimal, 1 - study.optimal, 0.5))
    rows.append((say("optimal play"), *optimal, ""))
    return rows


_SIZE = 5.83, 8.27
"""A5 in inches."""
_DPI = 200
_MARGIN = 26.0
"""The margin of the page in points; sizes of letters are in points, too."""
_TEXT, _TITLE, _HEADING = 10.5, 14.0, 11.5
_LINE = 1.32
"""Height of a line, in sizes of its letters."""
_BELOW = 5.0
"""The space below each part, in points."""
_SHRINK = 0.97
"""The factor by which everything gets smaller until it fits."""
_LEAST = 0.3
_INK, _BAND, _RULE = "#101418", "#EEF1F5", "#8A94A0"


def memo_picture(answer: MemoAnswer, form: drawing.Form = "png") -> bytes:
    """The page as the content of a file. Pictures share no state, so threads may draw."""
    parts, scale = memo_page(answer), 1.0
    while not (page := _Page(parts, scale)).fits and scale > _LEAST:
        scale *= _SHRINK
    page.figure.set_label(next(part.text for part in parts if isinstance(part, Heading)))
    return drawing.as_file(page.figure, form)


class _Page:
    """Parts below each other, each size times the scale."""

    def __init__(self, parts: list[Part], scale: float) -> None:
        self.figure = drawing.blank(_SIZE, _DPI, "white")
        canvas: Any = self.figure.canvas  # its methods have no types
        self._renderer, self._scale = canvas.get_renderer(), scale
        self._width, self._whole = 72 * _SIZE[0] - 2 * _MARGIN, 72 * _SIZE[1]
        self._y = _MARGIN
        self._widest = 0.0
        """The width of the widest grid so far."""
        for number, part in enumerate(parts):
            match part:
                case Heading():
                    self._y += 0.0 if number == 0 else _BELOW * self._scale
                    self._paragraph(part.text, _HEADING if number else _TITLE, bold=True)
                case list():
                    self._grid(part)
                case _:
                    self._paragraph(part, _TEXT)
            self._y += _BELOW * self._scale

    @property
    def fits(self) -> bool:
        """Whether all parts are within the page."""
        height = self._y + _MARGIN - _BELOW * self._scale
        return height <= self._whole and self._widest <= self._width

    def _paragraph(self, text: str, size: float, *, bold: bool = False) -> None:
        for line in self._lines(safe_text(text, len(text) * 2), size, bold=bold):
            self._write(0.0, line, size, bold=bold)
            self._y += size * _LINE * self._scale

    def _lines(self, text: str, size: float, *, bold: bool) -> Iterator[str]:
        """Text broken into lines at spaces."""
        line = ""
        for word in text.split(" "):
            longer = f"{line} {word}" if line else word
            if line and self._measure(longer, size, bold=bold) > self._width:
                yield line
                longer = word
            line = longer
        yield line

    def _grid(self, grid: Grid) -> None:
        """Columns at their right ends, on bands of two colours; the first row has a line below."""
        number = len(grid[0])
        measure = partial(self._measure, size=_TEXT, bold=True)
        widths = [max(measure(row[k]) for row in grid) for k in range(number)]
        room = max(6.0, min(30.0, (self._width - sum(widths)) / number))
        step = _TEXT * _LINE * self._scale
        whole = sum(widths) + room * number
        self._widest = max(self._widest, whole)
        for index, row in enumerate(grid):
            if index % 2 == 0 and index:
                self._box(self._y, step, whole, _BAND)
            x = room / 2
            for k, cell in enumerate(row):
                right, bold = k > 0, index == 0 or k == 0
                self._write(x + widths[k] * right, cell, _TEXT, bold=bold, right=right)
                x += widths[k] + room
            self._y += step
            if index == 0:
                self._box(self._y - 0.5, 0.7, whole, _RULE)

    def _box(self, top: float, height: float, width: float, colour: str) -> None:
        from matplotlib.patches import Rectangle  # noqa: PLC0415 - matplotlib: 0.2 s

        across = 72 * _SIZE[0]
        box = Rectangle(
            (_MARGIN / across, 1 - (top + height) / self._whole),
            min(width, self._width) / across,
            height / self._whole,
            transform=self.figure.transFigure,
            facecolor=colour,
            linewidth=0,
            zorder=-1,
        )
        self.figure.add_artist(box)

    def _write(
        self, x: float, text: str, size: float, *, bold: bool = False, right: bool = False
    ) -> None:
        if not text:
            return
        self.figure.text(
            (_MARGIN + x) / (72 * _SIZE[0]),
            1 - (self._y + size * self._scale) / self._whole,
            text,
            color=_INK,
            horizontalalignment="right" if right else "left",
            font=drawing.font(size * self._scale, bold=bold),
            parse_math=False,
        )

    def _measure(self, text: str, size: float, *, bold: bool = False) -> float:
        font = drawing.font(size * self._scale, bold=bold)
        width, _, _ = self._renderer.get_text_width_height_descent(text, font, ismath=False)
        return float(width) * 72 / _DPI


def memo_card(answer: MemoAnswer) -> Card | None:
    """A table to memorise, with a button that tells how to use it, above the picture of its page.

    None where there is no picture.
    """
    if answer.picture is None:
        return None
    parts = memo_page(answer)
    title = next(part.text for part in parts if isinstance(part, Heading))
    lines = grid_lines(_table(answer.table))
    if answer.study:
        overall = percent(answer.study.memo_go_for_it.overall)
        worth = say("If you play by it, you win {overall} against optimal play.", overall=overall)
        lines.append(worth)
    with on_phone(0):
        described = cleaned(memo_text(answer))[:1000]
    picture = Attachment("memo.png", answer.picture, described)
    text = f"**{escape_markdown(title)}**\n" + plain_markdown("\n".join(lines))
    return Card(text, (picture,), (Button("memo", say("How to use it")),))
