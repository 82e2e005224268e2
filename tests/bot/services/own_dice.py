"""Questions about a position to which players bring their dice, asked as a command does."""

from bot.services.advisor import Advisor
from bot.services.loaded import LoadedDice, MatchupFolders, solved_arrays
from bot.services.situation import Situation, check_asked, left_to_roll, rolled
from solver.play.advice import Advice, Odds


def advisor_on(folders: MatchupFolders, dice: LoadedDice) -> Advisor:
    """Return what answers on dice, which are solved for it."""
    advisor = Advisor(folders.matchups, matchups=folders)
    advisor.keep_pair(dice.matchup, *solved_arrays(folders, dice.matchup))
    return advisor


def advised(folders: MatchupFolders, dice: LoadedDice, text: str, situation: Situation) -> Advice:
    """Return advice on a roll as typed."""
    asked = situation._replace(rules=dice.rules, dice=dice)
    roll, left = rolled(asked, text)
    check_asked(asked, left)
    return advisor_on(folders, dice).advise_on(roll, left, asked)


def weighed(
    folders: MatchupFolders, dice: LoadedDice, text: str | None, situation: Situation
) -> Odds:
    """Return roll or bank with what is left, as typed."""
    asked = situation._replace(rules=dice.rules, dice=dice)
    left = left_to_roll(asked, text)
    check_asked(asked, left)
    return advisor_on(folders, dice).odds_of(left, asked)
