"""`farkle rules`: list, explain, check, compare and write rule sets."""

import shlex
from pathlib import Path

import click

from bot.services.advisor import Advisor
from bot.settings import Settings
from bot.shell.output import EXIT_BAD_INPUT, Shown, answer_options, csv_option, json_option, show
from bot.shell.places import known_rules, place_option, place_rules, rules_reader
from bot.views.layout import columns
from bot.views.library import (
    FOUND,
    diff_data,
    diff_sheet,
    diff_text,
    find_rules,
    found_data,
    found_text,
    like_data,
    like_rules,
    like_text,
)
from bot.views.rules_text import (
    RULES_LIST,
    check_data,
    check_sheet,
    check_text,
    rules_data,
    rules_list_data,
    rules_list_text,
    rules_text,
)
from bot.views.sheet import sheet
from solver.errors import InvalidRulesError
from solver.game.solvable import unsolvable
from solver.rules.file import Finding, check_file
from solver.rules.ruleset import Ruleset


class RulesGroup(click.Group):
    """`farkle rules` lists, `farkle rules NAME` shows."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Take what is no command for a rule set."""
        known = args[0] in self.commands or args[0].startswith("-")
        return super().resolve_command(ctx, args if known else ["show", *args])


@click.group(cls=RulesGroup, invoke_without_command=True)
@json_option
@csv_option
@click.pass_context
def rules(context: click.Context, /, *, as_json: bool, as_csv: bool) -> None:
    """List, explain, check, compare and write rule sets."""
    if context.invoked_subcommand is None:
        context.invoke(rules_list, as_json=as_json, as_csv=as_csv)


@rules.command("list")
@place_option
@answer_options
@click.pass_obj
def rules_list(settings: Settings, place: str | None = None) -> Shown:
    """List the rule sets that ship with the project, and those made in a place."""
    if place is not None:
        # only here: what the chat has made is in its database, which takes a while to import
        from bot.views.house_rules import house_rules_data, house_rules_text  # noqa: PLC0415

        entries = place_rules(settings, place)
        data = house_rules_data(entries)
        return Shown(house_rules_text(entries), data, sheet(RULES_LIST, data))
    known = Advisor(settings.strategies).known_rules()
    data = rules_list_data(known)
    return Shown(rules_list_text(known), data, sheet(RULES_LIST, data))


@rules.command("show")
@click.argument("rules", metavar="RULES")
@place_option
@json_option
@click.pass_obj
def rules_show(settings: Settings, rules: str, place: str | None, *, as_json: bool) -> None:
    """Explain RULES, the name of a rule set or a TOML file."""
    ruleset = rules_reader(settings, place)(rules)
    show(rules_text(ruleset), rules_data(ruleset), as_json=as_json)


@rules.command("check")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@place_option
@json_option
@csv_option
@click.pass_context
def rules_check(
    context: click.Context,
    files: tuple[str, ...],
    place: str | None,
    *,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Check TOML files of rules; say everything that is wrong, by line.

    With --place also rules that were made there, by their names. The exit status is 2 if anything
    is wrong.
    """
    checked = [(file, *_check(context.obj, file, place)) for file in files]
    table = check_sheet(checked) if as_csv else None
    show(check_text(checked), check_data(checked), as_json=as_json, sheet=table)
    if any(findings for _, _, findings in checked):
        context.exit(EXIT_BAD_INPUT)


def _check(
    settings: Settings, file: str, place: str | None
) -> tuple[Ruleset | None, list[Finding]]:
    """The rules of a file, or made in a place, or else all that is wrong with them."""
    if place is None or Path(file).is_file():
        return check_file(Path(file), unsolvable)
    try:
        ruleset = rules_reader(settings, place)(file)
    except InvalidRulesError as error:
        return None, [Finding(1, "", str(error))]
    if sentence := unsolvable(ruleset):
        return None, [Finding(1, "goal", sentence)]
    return ruleset, []


@rules.command("diff")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@place_option
@answer_options
@click.pass_obj
def rules_diff(settings: Settings, a: str, b: str, place: str | None) -> Shown:
    """Say what differs between the rule sets A and B, names or TOML files."""
    one, two = map(rules_reader(settings, place), (a, b))
    names = (one.name, two.name) if one.name != two.name else (a, b)
    return Shown(diff_text(one, two, names), diff_data(one, two), diff_sheet(one, two))


@rules.command("find")
@click.argument("words", nargs=-1, required=True, metavar="WORDS...")
@place_option
@answer_options
@click.pass_obj
def rules_find(settings: Settings, words: tuple[str, ...], place: str | None) -> Shown:
    """Find rule sets by what they say, as in: find three pairs 750."""
    found = find_rules(known_rules(settings, place), " ".join(words))
    data = found_data(found)
    return Shown(found_text(found), data, sheet(FOUND, data))


@rules.command("like")
@click.argument("rules", metavar="RULES")
@place_option
@json_option
@click.pass_obj
def rules_like(settings: Settings, rules: str, place: str | None, *, as_json: bool) -> None:
    """Say which rule sets are most like RULES, a name or a TOML file, and what differs."""
    nearest = like_rules(rules_reader(settings, place)(rules), known_rules(settings, place))
    show(like_text(nearest), like_data(nearest), as_json=as_json)


@rules.command("new")
@click.argument("file", required=False)
@json_option
def rules_new(file: str | None, *, as_json: bool) -> None:
    """Ask for your house rules and write them to FILE."""
    # only here: no other command writes TOML
    from bot.cli.rules_questions import Terminal, new_rules  # noqa: PLC0415

    path, ruleset = new_rules(Terminal(to_stderr=as_json), file)
    name = shlex.quote(str(path))
    # on lines of their own: what is to be typed again is not wrapped
    then = columns([(f"farkle rules {name}", "explains it"), (f"farkle solve {name}", "solves it")])
    show(
        "\n".join([f"Written to {path}.", *then]),
        {"file": str(path), **rules_data(ruleset)},
        as_json=as_json,
    )
