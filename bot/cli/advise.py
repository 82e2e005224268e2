"""`farkle advise`, `odds` and `position`: what is best after a roll or before one."""

from typing import Any

import click
from click.core import ParameterSource

from bot.services.situation import TURN_TOTAL, dice_and_numbers, left_to_roll, opened, rolled
from bot.shell.needed import ready_to_answer, solved_first
from bot.shell.output import Shown, answer_options, json_option, show
from bot.shell.places import Here, here_option
from bot.shell.position import AsInTheChat, dice_options, position_option, position_options
from bot.views.advice import advice_text, answer_text, odds_text
from bot.views.answer_data import advice_sheet, answer_data
from solver.errors import InvalidRequestError
from solver.play.advice import Advice, read_id


@click.command(cls=AsInTheChat)
@click.argument("dice", nargs=-1)
@position_option(TURN_TOTAL)
@position_options
@dice_options
@here_option
@click.option("--endings", is_flag=True, help="Tell how the turn ends after each choice.")
@answer_options
def advise(here: Here, /, dice: tuple[str, ...], *, endings: bool, **given: Any) -> Shown:
    """Rank what to keep of a roll, best first.

    DICE are the faces rolled, such as 6 5 3 3 3 2 or 653332. Three more numbers mean the turn
    total, your score and the opponent's: 5 2 350 4200 5000. You can also type options as in the
    chat: 5 2 turn 350. Name loaded dice where it matters: 5 lucky, 1 odd, 3 3 ordinary.
    """
    typed, numbers = dice_and_numbers(" ".join(dice))
    situation, reference = here.situation(_with_numbers(given, numbers))
    roll, left = rolled(situation, typed)
    ready_to_answer(here, situation, reference, left)
    advice = here.advisor.advise_on(roll, left, situation, endings=endings)
    return Shown(advice_text(advice), answer_data(advice), advice_sheet(advice))


def _with_numbers(given: dict[str, Any], numbers: tuple[int, ...]) -> dict[str, Any]:
    """The position with numbers after the dice, if there are any.

    Raises InvalidRequestError where one of them is given as an option, too.
    """
    if not numbers:
        return given
    fields = {"turn_total": "turn", "banked": "me", "opponent": "them"}
    given_by = click.get_current_context().get_parameter_source
    given_too = (field for field in fields if given_by(field) is not ParameterSource.DEFAULT)
    if twice := next(given_too, None):
        flag = f"--{fields[twice]}"
        raise InvalidRequestError(f"{flag} is given twice: it is among the numbers, too")
    turn_total, banked, opponent = numbers
    return given | {"turn_total": turn_total, "banked": banked, "opponent": (opponent,)}


@click.command(cls=AsInTheChat)
@click.option(
    "--dice",
    metavar="N",
    help="Dice to roll, loaded ones by name: lucky*2,odd; all at the start of a turn.",
)
@position_option(TURN_TOTAL)
@position_options
@dice_options
@here_option
@json_option
def odds(here: Here, /, dice: str | None, *, as_json: bool, **given: Any) -> None:
    """Weigh rolling on against banking, before a roll."""
    situation, reference = here.situation(given)
    if dice is not None and not situation.dice:
        dice = str(_number(dice))
    left = left_to_roll(situation, dice)
    ready_to_answer(here, situation, reference, left)
    answer = here.advisor.odds_of(left, situation)
    show(odds_text(answer), answer_data(answer), as_json=as_json)


def _number(dice: str) -> int:
    """A number of dice as it was typed. Raises what click does with any other number."""
    context = click.get_current_context()
    option = next(param for param in context.command.params if param.name == "dice")
    number: int = click.INT(dice, option, context)
    return number


@click.command()
@click.argument("text", metavar="ID", nargs=-1, required=True)
@here_option
@answer_options
def position(here: Here, /, text: tuple[str, ...]) -> Shown:
    """Say what is best in a position, by its ID.

    ID is shown under the advice, such as CZT1-7YZ9-SYP.
    """
    known = here.known
    question = opened(read_id(" ".join(text)), known, here.settings.strategies)
    rules = question[0]
    # with another goal they are named by that
    goal = None if any(ruleset.name == rules.name for ruleset in known) else rules.goal
    name = rules.name.removesuffix(f"-{goal}")
    solved_first(here, rules, here.named(name, goal))
    answer = here.advisor.answer(*question)
    is_advice = isinstance(answer, Advice)
    sheet = advice_sheet(answer) if isinstance(answer, Advice) else None
    return Shown(answer_text(answer), answer_data(answer), sheet, is_advice)
