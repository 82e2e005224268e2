"""The policies of a bot's levels, with what is kept of tables to memorise beside strategies."""

from contextlib import suppress

from bot.services.advisor import Advisor
from solver.errors import InvalidRulesError
from solver.play.memo import GoForIt, Memo, MemoGoForIt
from solver.play.memo_study import load_memo
from solver.play.policies import Optimal, make_policy
from solver.play.policy import Policy
from solver.rules.ruleset import Ruleset
from solver.turn.memo import memo_table, natural_unit


def policy_of(advisor: Advisor, level: str, rules: Ruleset) -> Policy:
    """The policy of a bot's level.

    Raises InvalidRequestError for an unknown level, StrategyFileError where the level needs
    a strategy that is not there.
    """
    strategy = advisor.strategy(rules) if level == Optimal.name else None
    if level in {Memo.name, MemoGoForIt.name}:
        memo_table(rules)  # some rules have none
    thresholds = go_for_it(advisor, rules) if level == MemoGoForIt.name else None
    return make_policy(level, strategy, thresholds)


def go_for_it(advisor: Advisor, rules: Ruleset) -> GoForIt | None:
    """When to go for it under the rules; None where that was not worked out yet."""
    with suppress(InvalidRulesError):  # there is no table to go with it
        study = load_memo(advisor.folder, rules, natural_unit(rules))
        return study.go_for_it if study else None
    return None
