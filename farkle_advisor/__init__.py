"""Exact win probabilities for Farkle from Python: solve house rules once, and ask what is best.

>>> from farkle_advisor import solve
>>> game = solve("facebook")
>>> round(game.first_player_wins, 5)
0.53487
>>> game.advise("653332", me=0, them=0).best.keep
'5'

The chat, the command line and this package answer from the same files. docs/python.md of the
project tells of everything here with examples.
"""

from farkle_advisor.answers import Advice, Duel, Odds, Option, Points, Turn
from farkle_advisor.contests import duel, points
from farkle_advisor.game import Game, solve
from farkle_advisor.rules import RuleKeys, Rules, load_rules, preset_names
from solver.errors import (
    ConvergenceError,
    FarkleError,
    InvalidDiceError,
    InvalidPositionError,
    InvalidRequestError,
    InvalidRollError,
    InvalidRulesError,
    SolveError,
    StrategyFileError,
)
from solver.rules.ruleset import Ruleset

__all__ = [
    "Advice",
    "ConvergenceError",
    "Duel",
    "FarkleError",
    "Game",
    "InvalidDiceError",
    "InvalidPositionError",
    "InvalidRequestError",
    "InvalidRollError",
    "InvalidRulesError",
    "Odds",
    "Option",
    "Points",
    "RuleKeys",
    "Rules",
    "Ruleset",
    "SolveError",
    "StrategyFileError",
    "Turn",
    "duel",
    "load_rules",
    "points",
    "preset_names",
    "solve",
]
