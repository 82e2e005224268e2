"""`farkle solve --dice`: games of three players and more with dice of their own."""

from collections.abc import Sequence
from pathlib import Path

from bot.cli.output import show
from bot.services.loaded import SeatedDice, check_of_many, solution_of_many
from bot.settings import Settings
from bot.views.progress import share_progress
from bot.views.solve_loaded import SolvedDice, solve_loaded_data, solve_loaded_text
from solver.errors import InvalidRequestError
from solver.game.many import time_text
from solver.loaded.files import keep_within, open_matchup, save_matchup
from solver.loaded.matchup import Matchup
from solver.named.sets import read_set
from solver.rules.ruleset import Ruleset

_MEBIBYTE = 2**20


def check_options(
    players: int, sets: Sequence[str], scheduler: str | None, *, as_csv: bool
) -> None:
    """Refuse options that do not go together. Raises InvalidRequestError."""
    if len(sets) < 3:
        raise InvalidRequestError(
            "--dice is given once for each of three players or more; two are solved by farkle kcd"
            " --my-dice SET --their-dice SET"
        )
    if players not in {2, len(sets)}:
        raise InvalidRequestError(f"--players {players}: --dice is given {len(sets)} times")
    if scheduler or as_csv:
        raise InvalidRequestError(
            "--dice is solved on this machine, and is no table: leave out --scheduler and --csv"
        )


def solve_loaded(
    settings: Settings,
    rules: Sequence[Ruleset],
    sets: Sequence[str],
    folder: Path | None,
    *,
    joker_alone: bool,
    check: bool,
    as_json: bool,
) -> int:
    """Solve rule sets for the dice of each seat, write their files and show what they came to.

    Raises FarkleError, before anything is solved where that is known then.
    """
    games = []
    for one in rules:
        dice = SeatedDice(one, tuple(read_set(text, one.dice) for text in sets), joker_alone)
        matchup = dice.matchup
        _check_file(settings, matchup)
        games.append((dice, matchup))
    found = []
    for dice, matchup in games:
        about = f"{matchup.size.states:,} states, about {time_text(matchup.seconds)}"
        what = dice.rules.name
        with share_progress(f"solving {what} for {len(sets)} sets of dice, {about}") as told:
            solution = solution_of_many(settings.kernels, matchup, told)
        file = save_matchup(solution, folder or settings.matchups)
        if folder is None:
            keep_within(settings.matchups, settings.matchup_memory * _MEBIBYTE)
        strategy = open_matchup(file.parent, matchup)
        chances = tuple(strategy.chances(strategy.start(0)).tolist())
        checked = None
        if check:
            with share_progress(f"checking {what}") as told:
                checked = check_of_many(settings.kernels, solution, told)
        found.append(SolvedDice(dice, solution, file, chances, checked))
    data = [solve_loaded_data(one) for one in found]
    text = "\n".join(map(solve_loaded_text, found))
    show(text, data if len(data) > 1 else data[0], as_json=as_json)
    return 0


def _check_file(settings: Settings, matchup: Matchup) -> None:
    """Refuse what could not be kept. Raises InvalidRequestError."""
    needed = matchup.bytes / _MEBIBYTE
    if needed > settings.matchup_memory:
        raise InvalidRequestError(
            f"{matchup.rules.name}: the file of so many states takes {needed:,.0f} MiB, and"
            f" FARKLE_MATCHUP_MEMORY lets match-ups take {settings.matchup_memory:,}"
        )
