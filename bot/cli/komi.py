"""`farkle komi`: the fair start of a rule set."""

import click

from bot.services.situation import DEFAULT_RULES
from bot.settings import Settings
from bot.shell.needed import solved_first
from bot.shell.output import Shown, answer_options
from bot.shell.places import advisor_of, named, place_option, rules_reader
from bot.views.komi import komi_data, komi_sheet, komi_text
from solver.play.komi import komi


@click.command("komi")
@click.argument("rules", default=DEFAULT_RULES)
@place_option
@answer_options
@click.pass_obj
def komi_command(settings: Settings, rules: str, place: str | None) -> Shown:
    """Find the head start that comes closest to even.

    RULES is the name of a rule set or a TOML file that is solved.
    """
    ruleset = rules_reader(settings, place)(rules)
    advisor, reference = advisor_of(settings), named(rules, place)
    solved_first(settings, advisor, ruleset, reference)
    found = komi(advisor.strategy(ruleset, reference))
    return Shown(komi_text(ruleset, found), komi_data(found), komi_sheet(found))
