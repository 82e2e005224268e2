"""`farkle duel` and `farkle best-response`: ways to play against each other, exactly."""

from dataclasses import replace

import click

from bot.features.duels import view
from bot.features.duels.service import (
    duel_of,
    response_to,
    seconds_of_best_response,
    seconds_of_duel,
)
from bot.layout import wrap
from bot.services.policies import policy_of
from bot.services.situation import DEFAULT_RULES
from bot.shell.needed import solved_first
from bot.shell.output import Shown, answer_options
from bot.shell.places import Here, here_option
from bot.views.progress import contest_progress, share_progress
from solver.batch.local import compiled_code
from solver.play.duel import MOST_GAMES, Played
from solver.play.policies import POLICIES, Optimal
from solver.rules.ruleset import Ruleset

_HELP_WIDTH = 76
_GAMES = 1_000
_POLICIES = wrap("\n".join(f"{name}: {what}" for name, what in POLICIES.items()), _HELP_WIDTH)


def _lower(_: click.Context, __: click.Parameter, name: str) -> str:
    """The name of a policy in small letters, as policies are known by."""
    return name.lower()


_rules_option = click.option(
    "--rules", default=DEFAULT_RULES, show_default=True, help="A rule set or a TOML file."
)


@click.command(epilog=f"\b\nPolicies:\n{_POLICIES}")
@click.argument("one", callback=_lower)
@click.argument("other", callback=_lower)
@_rules_option
@here_option
@click.option(
    "--simulate",
    type=click.IntRange(2, MOST_GAMES),
    metavar="N",
    help="Play N games as well, to check; ten million at most. Where rules have rounds, or a turn"
    " depends on the one before it, nothing exact is worked out, and 1,000 are played instead.",
)
@click.option("--seed", default=1, show_default=True, help="Seed of the dice in these games.")
@answer_options
def duel(here: Here, one: str, other: str, rules: str, simulate: int | None, seed: int) -> Shown:
    """Say how often one policy wins against another one, exactly.

    ONE and OTHER are policies, such as optimal, max-points or threshold:300. Rules have to be
    solved where one of them is optimal.
    """
    ruleset = here.rules(rules)
    _ready_to_play(here, ruleset, here.named(rules), one, other)
    seconds = seconds_of_duel(ruleset, one, other, simulate or _GAMES)
    with contest_progress(f"{one} against {other}", seconds=seconds) as progress:
        work = here.advisor, here.settings.kernels, ruleset, one, other, progress
        result = duel_of(*work, simulate or _GAMES, seed)
    if simulate and result.is_exact:
        result = replace(result, played=_play(here, result.rules, (one, other), simulate, seed))
    return Shown(view.duel_text(result), view.duel_data(result), view.duel_sheet(result))


def _play(here: Here, rules: Ruleset, names: tuple[str, str], games: int, seed: int) -> Played:
    """Games of two policies, played with dice; each begins half of them."""
    from solver.play.matches import play_duel  # noqa: PLC0415 - numba: 0.4 s

    players = [policy_of(here.advisor, name, rules) for name in names]
    with compiled_code(here.settings.kernels) as cache, share_progress("playing") as progress:
        return play_duel(rules, players[0], players[1], cache, games, seed, progress)


@click.command("best-response", epilog=f"\b\nPolicies:\n{_POLICIES}")
@click.argument("policy", callback=_lower)
@_rules_option
@here_option
@answer_options
def best_response(here: Here, policy: str, rules: str) -> Shown:
    """Find the way to play that beats a policy most often.

    POLICY is one of those of `farkle duel`. The rules have to be solved. Says what the best
    response wins, what optimal play wins, and where the two differ.
    """
    ruleset = here.rules(rules)
    _ready_to_play(here, ruleset, here.named(rules), policy, Optimal.name)
    seconds = seconds_of_best_response(ruleset)
    with contest_progress(f"best response to {policy}", seconds=seconds) as progress:
        best = response_to(policy, here.advisor, here.settings.kernels, ruleset, progress)
    return Shown(view.response_text(best), view.response_data(best), view.response_sheet(best))


def _ready_to_play(here: Here, rules: Ruleset, reference: str, *names: str) -> None:
    """Solve the rules where a policy needs that, if it is quick. Raises FarkleError."""
    for name in names:
        if name != Optimal.name:
            policy_of(here.advisor, name, rules)
    if Optimal.name in names:
        solved_first(here, rules, reference)
