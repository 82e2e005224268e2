"""`farkle memo`: a table to memorise."""

from pathlib import Path

import click

from bot.features.memo.service import known_memo, memo_answer, seconds_of_memo
from bot.features.memo.view import memo_data, memo_picture, memo_sheet, memo_text
from bot.layout import cleaned
from bot.services.situation import DEFAULT_RULES
from bot.shell.needed import solved_first
from bot.shell.output import Shown, answer_options, write_file
from bot.shell.places import Here, here_option
from bot.views.drawing import picture_form
from bot.views.progress import share_progress
from solver.errors import MissingStrategyError


@click.command()
@click.argument("rules", default=DEFAULT_RULES)
@click.option("--unit", type=int, metavar="N", help="Round what dice are worth to N points.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the page to a .png, .pdf or .svg file as well.",
)
@here_option
@answer_options
def memo(here: Here, rules: str, unit: int | None, out: Path | None) -> Shown:
    """Make a table to memorise and to play by.

    RULES is the name of a rule set or a TOML file. How often the table wins against optimal play,
    when to risk everything and a rule of thumb are worked out where the rules are solved, which
    takes a while the first time.
    """
    form = picture_form(out) if out else None
    ruleset, advisor = here.rules(rules), here.advisor
    answer = known_memo(advisor, ruleset, unit)
    if answer.study is None and not answer.refused:
        try:
            solved_first(here, ruleset, here.named(rules))
            what, seconds = f"working out the table of {ruleset.name}", seconds_of_memo(ruleset)
            with share_progress(what, seconds=seconds) as done:
                answer = memo_answer(advisor, here.settings.kernels, ruleset, unit, done)
        except MissingStrategyError as error:  # the table itself is shown all the same
            click.echo(cleaned(str(error)), err=True)
    if out and form:
        write_file(out, memo_picture(answer, form))
    return Shown(memo_text(answer), memo_data(answer), memo_sheet(answer))
