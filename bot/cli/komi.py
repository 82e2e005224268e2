"""`farkle komi`: the fair start of a rule set."""

import click

from bot.cli.output import csv_option, json_option, show
from bot.cli.places import advisor_of, place_option, rules_reader
from bot.services.situation import DEFAULT_RULES
from bot.settings import Settings
from bot.views.komi import komi_data, komi_sheet, komi_text
from solver.play.komi import komi


@click.command("komi")
@click.argument("rules", default=DEFAULT_RULES)
@place_option
@json_option
@csv_option
@click.pass_obj
def komi_command(
    settings: Settings, rules: str, place: str | None, *, as_json: bool, as_csv: bool
) -> None:
    """Find the head start that comes closest to even.

    RULES is the name of a rule set or a TOML file that is solved.
    """
    ruleset = rules_reader(settings, place)(rules)
    found = komi(advisor_of(settings).strategy(ruleset, rules))
    sheet = komi_sheet(found) if as_csv else None
    show(komi_text(ruleset, found), komi_data(found), as_json=as_json, sheet=sheet)
