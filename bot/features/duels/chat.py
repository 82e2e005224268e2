"""The commands that set ways to play against each other, exactly."""

from bot.chat import fields
from bot.chat.commands import Line, Stream, question
from bot.chat.features import Core, Feature
from bot.chat.waiting import replies, solved_first
from bot.features.duels import service
from bot.features.duels.view import duel_data, duel_text, response_data, response_text
from bot.services.policies import policy_of
from bot.services.tables import Caller
from bot.tasks.answering import at_once
from solver.errors import InvalidRequestError
from solver.play.policies import THRESHOLD, Optimal
from solver.rules.ruleset import Ruleset
from solver.wording import say_later

_WITH_NUMBER = (THRESHOLD.rstrip(":"),)
"""What stands before the number in the names of policies that have one."""


_POLICY = say_later("a way to play, such as optimal, max-points or greedy")


def feature(core: Core) -> Feature:
    """/duel and /best-response."""
    oracle, rules, kernels = core.oracle, core.rules, core.settings.kernels
    advisor = oracle.advisor

    @question(
        "/duel POLICY POLICY",
        say_later("how often one way to play wins against another, exactly"),
        fields.word("first", _POLICY, most=30, required=True),
        fields.word(
            "second", say_later("the other one, such as threshold:300"), most=30, required=True
        ),
        fields.rules(),
        whole=_WITH_NUMBER,
        examples=("/duel optimal threshold:300 rules:kcd",),
    )
    async def duel(line: Line, caller: Caller) -> Stream:
        names = [str(word).lower() for word in line.arguments]
        if len(names) != 2:
            raise InvalidRequestError.say(
                "/duel takes two policies, as in /duel optimal threshold:300 rules:kcd"
            )
        one, other = names
        meant = await rules.resolve(caller.place, line.option("rules"))
        yield _ready_to_play(core, caller, meant, *names)
        seconds = await at_once(service.seconds_of_duel, meant, one, other)
        what, work = say_later("duel"), (service.duel_of, advisor, kernels, meant, one, other)
        task = oracle.tasks.told(caller.asker, what, *work, each=seconds)
        yield replies(task, duel_text, duel_data)

    @question(
        "/best-response POLICY",
        say_later("what beats a way to play most often, and by how much"),
        fields.word("policy", _POLICY, most=30, required=True),
        fields.rules(),
        whole=_WITH_NUMBER,
        examples=("/best-response max-points rules:kcd",),
    )
    async def best_response(line: Line, caller: Caller) -> Stream:
        if len(line.arguments) != 1:
            raise InvalidRequestError.say(
                "/best-response takes a policy, as in /best-response max-points"
            )
        name = str(line.arguments[0]).lower()
        meant = await rules.resolve(caller.place, line.option("rules"))
        yield _ready_to_play(core, caller, meant, name, Optimal.name)
        seconds = await at_once(service.seconds_of_best_response, meant)
        what, best = say_later("best response"), service.response_to
        work = best, name, advisor, kernels, meant
        task = oracle.tasks.told(caller.asker, what, *work, each=seconds)
        yield replies(task, response_text, response_data)

    return Feature([duel, best_response])


async def _ready_to_play(core: Core, caller: Caller, meant: Ruleset, *names: str) -> Stream:
    """Solve rules first if one of these policies needs that, and say so. Raises FarkleError."""
    advisor = core.oracle.advisor
    for name in names:
        if name != Optimal.name:
            await at_once(policy_of, advisor, name, meant)
    if Optimal.name in names:
        yield solved_first(core.oracle, core.rules, caller, meant, 2)
        await at_once(advisor.strategy, meant)
