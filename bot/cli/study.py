"""`farkle study`: what solved games tell about the rules and about the method."""

from pathlib import Path
from typing import Any

import click

from bot.layout import columns
from bot.services.policies import go_for_it
from bot.services.situation import DEFAULT_RULES
from bot.settings import Settings
from bot.shell.first_solve import solve_with_share
from bot.shell.output import Shown, answer_options
from bot.shell.places import Here, here_option
from bot.tasks.solving import seconds_of_solve
from bot.views.levels import levels_data, levels_sheet, levels_text
from bot.views.progress import share_progress
from solver.batch.local import compare_floors_here, compiled_code, with_sound_code
from solver.errors import InvalidRequestError, MissingStrategyError, StrategyFileError
from solver.game.standings import DEFAULT_TOLERANCE, FloorEffect
from solver.play.duel import MOST_GAMES
from solver.play.strengths import Strengths, save_strengths, strengths_path
from solver.rules.file import with_floor
from solver.rules.ruleset import Ruleset
from solver.strategy import open_strategy, strategy_path, verify_strategy


@click.group()
def study() -> None:
    """Studies of solved games."""


@study.command()
@click.argument("rules", default=DEFAULT_RULES)
@click.option("--floor", type=int, metavar="N", help="The floor; the rules' own if left out.")
@click.option(
    "--lower", type=int, metavar="M", help="The lower floor; a penalty below N if left out."
)
@here_option
@answer_options
def floor(here: Here, rules: str, floor: int | None, lower: int | None) -> Shown:
    """Compare two score floors: what the higher one changes.

    RULES is the name of a rule set or a TOML file. Both games are solved first if need be.
    """
    ruleset = here.rules(rules)
    penalty = ruleset.penalty_points
    if not penalty:
        raise InvalidRequestError(
            f"{ruleset.name} rules have no farkle_penalty in points, so no score falls below 0 and"
            " there is no floor to study"
        )
    higher = ruleset.score_floor if floor is None else floor
    lowest = higher - penalty if lower is None else lower
    if lowest >= higher:
        raise InvalidRequestError(f"--lower: {lowest} is not below the floor {higher}")
    both = with_floor(ruleset, higher), with_floor(ruleset, lowest)
    files = [_solved(here.settings, variant) for variant in both]
    comparing = share_progress(f"comparing the floors {higher:,} and {lowest:,}")
    with compiled_code(here.settings.kernels) as cache, comparing:
        effect = compare_floors_here(*files, cache=cache)
    return Shown(floor_text(both[0], effect), floor_data(both[0], effect))


@study.command()
@click.argument("rules", default=DEFAULT_RULES)
@click.option(
    "--games",
    type=click.IntRange(2, MOST_GAMES),
    help="Play this many games with each level and count the wins.",
)
@click.option("--seed", default=1, show_default=True, help="Seed of the dice in these games.")
@click.option("--replace", is_flag=True, help="Keep these counts even if there are better ones.")
@here_option
@answer_options
def levels(here: Here, rules: str, games: int | None, seed: int, *, replace: bool) -> Shown:
    """Say how often every level of the bot wins against optimal play, exactly.

    RULES is the name of a rule set or a TOML file. The game is solved first if need be. With
    --games they are played instead, half of them begun by each side. The win rates are kept in the
    data folder, where the chat shows them; exact ones stay there, and so do those of more games.
    """
    ruleset = here.rules(rules)
    thresholds = go_for_it(here.advisor, ruleset)
    _solved(here.settings, ruleset)
    with compiled_code(here.settings.kernels) as cache:
        strategy = open_strategy(here.settings.strategies, ruleset)
        with share_progress("playing" if games else "evaluating") as done:

            def work() -> Strengths:
                from solver.play.matches import strengths_of_levels  # noqa: PLC0415 - numba: 0.4 s

                how: dict[str, Any] = {"cache": cache, "go_for_it": thresholds, "on_progress": done}
                return strengths_of_levels(strategy, games=games, seed=seed, **how)

            strengths = with_sound_code(cache, work)
    kept = save_strengths(here.settings.data, ruleset, strengths, replace=replace)
    path = strengths_path(here.settings.data, ruleset)
    return Shown(
        levels_text(strengths, kept, path),
        levels_data(strengths, kept, path),
        levels_sheet(strengths),
    )


def _solved(settings: Settings, rules: Ruleset) -> Path:
    """The file of a rule set with just its floor, solved if it is not there or not sound."""
    path = strategy_path(settings.strategies, rules)
    try:
        if verify_strategy(path).tolerance <= DEFAULT_TOLERANCE:
            return path
    except StrategyFileError:
        pass  # solve it again
    solve_with_share(settings, rules, 2, seconds_of_solve(rules))
    if not path.exists():
        raise MissingStrategyError(f"{path}: was just written and is gone")
    return path


def floor_text(rules: Ruleset, effect: FloorEffect) -> str:
    """What a floor changes: a row for each penalty above it, while it changes anything."""
    rows = [("both scores from", "largest deviation", "a wrong decision costs up to")]
    for score, deviation, cost in _rows(rules, effect):
        rows.append((f"{score:,}", f"{deviation:.9f}", f"{cost:.9f}" if cost else "none is wrong"))
    same = effect.same_decisions_from()
    lines = [
        f"{rules.name} rules with scores cut off at {effect.floor:,} against"
        f" {effect.lower_floor:,}, over all states in which neither score is less:",
        *columns(rows, right={0, 1, 2}),
        "Deviation: between both win probabilities, relative to their mean.",
        "Cost: of banking or rolling as the higher floor says, relative to the win probability.",
        f"From {same:,} up all decisions are the same."
        if same is not None
        else "There is no score from which on all decisions are the same.",
    ]
    return "\n".join(lines)


def floor_data(rules: Ruleset, effect: FloorEffect) -> dict[str, Any]:
    """What a floor changes as data, for every score."""
    return {
        "rules": rules.name,
        "floor": effect.floor,
        "lower_floor": effect.lower_floor,
        "same_decisions_from": effect.same_decisions_from(),
        "rows": [
            {"score": int(score), "deviation": float(deviation), "cost": float(cost)}
            for score, deviation, cost in zip(
                effect.scores, effect.deviation, effect.cost, strict=True
            )
        ],
    }


def _rows(rules: Ruleset, effect: FloorEffect) -> list[tuple[int, float, float]]:
    """A row for each penalty above the floor, down to a deviation that is none."""
    every = rules.penalty_points // rules.point_step
    rows: list[tuple[int, float, float]] = []
    for index in range(0, len(effect.scores), every):
        deviation, cost = float(effect.deviation[index]), float(effect.cost[index])
        rows.append((int(effect.scores[index]), deviation, cost))
        if deviation < 1e-9:
            break
    return rows
