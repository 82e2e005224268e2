"""`farkle points`: a turn for the most points, with no goal."""

import click

from bot.features.points import view
from bot.features.points.service import PointsQuestion, points_answer
from bot.services.situation import DEFAULT_RULES
from bot.shell.needed import strategy_of
from bot.shell.output import Shown, answer_options
from bot.shell.places import Here, here_option
from solver.errors import InvalidRequestError
from solver.play.komi import komi


@click.command()
@click.argument("rules", nargs=-1, metavar="[RULES]...")
@click.option(
    "--farkle-cost",
    type=float,
    default=0.0,
    metavar="Y",
    help="Points that a farkle costs on top of the turn total.",
)
@click.option(
    "--on-board/--not-on-board",
    default=True,
    help="Whether you have banked before; yes unless you say no.",
)
@click.option(
    "--score", type=int, metavar="S", help="Your score, under rules where a roll can lose it all."
)
@click.option(
    "--hot-dice",
    type=int,
    default=0,
    metavar="N",
    help="Hot dice so far, if their bonus changes: when to bank after them.",
)
@click.option("--table", is_flag=True, help="What rolling gains, by turn total and dice.")
@click.option(
    "--costs",
    default="",
    metavar="Y,Y,...",
    help="How other costs of a farkle change its chance and the points.",
)
@here_option
@answer_options
def points(
    here: Here,
    rules: tuple[str, ...],
    farkle_cost: float,
    score: int | None,
    hot_dice: int,
    costs: str,
    *,
    on_board: bool,
    table: bool,
) -> Shown:
    """Play one turn for the most points, with no goal.

    RULES is the name of a rule set or a TOML file; it need not be solved. It shows the average
    points, the risk, when to bank, and what farkles in a row cost in the long run; several stand
    side by side, each in a row.
    """
    if table and costs:
        raise InvalidRequestError("--table and --costs are two tables: ask for one at a time")
    if costs and (farkle_cost or hot_dice):
        raise InvalidRequestError(
            "--costs weighs costs of its own and says nothing of when to bank: leave out"
            " --farkle-cost and --hot-dice"
        )
    if len(rules) > 1 and (table or costs):
        raise InvalidRequestError("--table and --costs are about one rule set: name only one")
    question = PointsQuestion(farkle_cost, on_board, score, hot_dice, _costs(costs), table)
    answers = [points_answer(here.rules(name), question) for name in rules or (DEFAULT_RULES,)]
    if len(answers) > 1:
        return Shown(
            view.side_by_side_text(answers),
            [view.points_data(turn) for turn in answers],
            view.side_by_side_sheet(answers),
        )
    [answer] = answers
    return Shown(view.points_text(answer), view.points_data(answer), view.points_sheet(answer))


def _costs(text: str) -> tuple[float, ...]:
    """Numbers with commas between them. Raises InvalidRequestError."""
    try:
        return tuple(float(number) for number in text.split(",")) if text else ()
    except ValueError:
        raise InvalidRequestError(
            f'--costs: takes numbers with commas between them, such as 0,100,500, not "{text}"'
        ) from None


@click.command("komi")
@click.argument("rules", default=DEFAULT_RULES)
@here_option
@answer_options
def komi_command(here: Here, rules: str) -> Shown:
    """Find the head start that comes closest to even.

    RULES is the name of a rule set or a TOML file that is solved.
    """
    strategy = strategy_of(here, rules)
    answer = komi(strategy)
    return Shown(view.komi_text(strategy.rules, answer), view.komi_data(answer))
