"""`farkle turn`: what is best in a whole turn."""

from typing import Any

import click

from bot.shell.needed import ready_to_answer
from bot.shell.output import Shown, answer_options
from bot.shell.places import Here, here_option
from bot.shell.position import AsInTheChat, goal_option, position_options
from bot.views.thresholds import turn_data, turn_table_text, turn_text
from solver.play.maps import turn_map

_MORE = "--table prints the chances at every turn total."


@click.command(cls=AsInTheChat)
@position_options
@goal_option
@click.option("--table", is_flag=True, help="Print the whole turn, turn total by turn total.")
@here_option
@answer_options
def turn(here: Here, /, *, table: bool, **given: Any) -> Shown:
    """Say when to bank in a turn, or print the whole of it."""
    situation, reference = here.situation(given)
    situation.check_two()
    ready_to_answer(here, situation._replace(hot_dice=0), reference, None)
    asked = here.advisor.asked_of_turn(None, situation)
    whole = turn_map(asked.play, asked.position)
    text = turn_table_text(whole) if table else f"{turn_text(whole)}\n{_MORE}"
    return Shown(text, turn_data(whole))
