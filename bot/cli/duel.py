"""`farkle duel` and `farkle best-response`: ways to play against each other, exactly."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from bot.cli.output import csv_option, json_option, show
from bot.cli.places import advisor_of, named, place_option, rules_reader
from bot.services.advisor import Advisor
from bot.services.duels import dueled, responded
from bot.services.situation import DEFAULT_RULES
from bot.settings import Settings
from bot.views.duel import (
    duel_data,
    duel_sheet,
    duel_text,
    response_data,
    response_sheet,
    response_text,
)
from bot.views.progress import share_progress
from solver.game.standings import Progress
from solver.play.duel import Played
from solver.play.policies import POLICIES, Optimal
from solver.rules.ruleset import Ruleset

_POLICIES = "\n".join(f"{name}: {what}" for name, what in POLICIES.items())
_SWEEPS = 14.0
"""That most duels take."""


def _lower(_: click.Context, __: click.Parameter, name: str) -> str:
    """A policy is found whatever capitals its name has."""
    return name.lower()


_rules_option = click.option(
    "--rules", default=DEFAULT_RULES, show_default=True, help="A rule set or a TOML file."
)


@click.command(epilog=f"\b\nPolicies:\n{_POLICIES}")
@click.argument("one", callback=_lower)
@click.argument("other", callback=_lower)
@_rules_option
@place_option
@click.option(
    "--simulate",
    type=click.IntRange(2, 10_000_000),
    metavar="N",
    help="Play N games as well, to check; ten million at most.",
)
@click.option("--seed", default=1, show_default=True, help="Of the dice of these games.")
@json_option
@csv_option
@click.pass_obj
def duel(
    settings: Settings,
    one: str,
    other: str,
    rules: str,
    simulate: int | None,
    seed: int,
    place: str | None,
    *,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Say how often one policy wins against another one, exactly.

    ONE and OTHER are policies, such as optimal, max-points or threshold:300. Rules have to be
    solved where one of them is optimal.
    """
    ruleset, advisor = rules_reader(settings, place)(rules), advisor_of(settings)
    for name in (one, other):
        if name == Optimal.name:
            advisor.strategy(ruleset, named(rules, place))
        advisor.policy(name, ruleset)
    with _evaluating(f"{one} against {other}") as told:
        found = dueled(advisor, settings.kernels, ruleset, one, other, told)
    played = _play(settings, advisor, ruleset, (one, other), simulate, seed) if simulate else None
    show(
        duel_text(found, played),
        duel_data(found, played),
        as_json=as_json,
        sheet=duel_sheet(found, played) if as_csv else None,
    )


def _play(
    settings: Settings,
    advisor: Advisor,
    rules: Ruleset,
    names: tuple[str, str],
    games: int,
    seed: int,
) -> Played:
    # only here: numba takes longer to load than most commands
    from solver.batch.local import compiled_code  # noqa: PLC0415
    from solver.play.matches import play_duel  # noqa: PLC0415

    players = [advisor.policy(name, rules) for name in names]
    with compiled_code(settings.kernels) as cache, share_progress("playing") as done:
        return play_duel(rules, players[0], players[1], cache, games, seed, done)


@click.command("best-response", epilog=f"\b\nPolicies:\n{_POLICIES}")
@click.argument("policy", callback=_lower)
@_rules_option
@place_option
@json_option
@csv_option
@click.pass_obj
def best_response(
    settings: Settings,
    policy: str,
    rules: str,
    place: str | None,
    *,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Find the way to play that beats a policy most.

    POLICY is one of those of `farkle duel`. The rules have to be solved. Says what the best
    response wins, what optimal play wins, and where the two differ.
    """
    ruleset, advisor = rules_reader(settings, place)(rules), advisor_of(settings)
    advisor.strategy(ruleset, named(rules, place))
    advisor.policy(policy, ruleset)
    with _evaluating(f"best response to {policy}") as told:
        found = responded(advisor, settings.kernels, ruleset, policy, told)
    sheet = response_sheet(found) if as_csv else None
    show(response_text(found), response_data(found), as_json=as_json, sheet=sheet)


@contextmanager
def _evaluating(what: str) -> Iterator[Callable[[float | Progress], None]]:
    """Show how far a contest is: half of the bar is for its turns, half for its sweeps."""
    with share_progress(what) as done:

        def told(how_far: float | Progress) -> None:
            if isinstance(how_far, Progress):
                share = 0.5 + min(1.0, (how_far.sweep - 1 + how_far.done) / _SWEEPS) / 2
            else:
                share = how_far / 2
            done(share)

        yield told
