"""The command of drills: the own worst decisions again, and new positions."""

from collections.abc import AsyncIterator
from dataclasses import replace

from bot.fronts.chat.bringing import SETS, kits_of_all
from bot.fronts.chat.commands import YES_OR_NO, Command, Line, Reply, whole_number
from bot.fronts.chat.waiting import delay_reply, solved_first
from bot.services.chances import Oracle
from bot.services.drill import Drill, DrillVerdict, Wish
from bot.services.house_rules import HouseRules
from bot.services.loaded import KCD
from bot.services.rule_options import with_goal
from bot.services.situation import has_sets
from bot.services.tables import Caller
from bot.table.commands import MOST_PLAYERS
from bot.tasks.tasks import Delay
from bot.views.drill import drill_data, drill_text, drill_verdict_data, drill_verdict_text
from solver.errors import InvalidRequestError
from solver.wording import say, say_later

_DICE = {name: SETS[name] for name in ("my-dice", "their-dice", "joker-alone")}


def drill_commands(drill: Drill, oracle: Oracle, rules: HouseRules) -> list[Command]:
    """/drill."""

    async def answer(line: Line, caller: Caller) -> AsyncIterator[Reply]:
        words = line.words.lower().split()
        position = line.option("position")
        if not words and position is None:
            wish = await _wish(line, caller, rules)
            if wish and wish.kits:
                async for delay in oracle.ready(caller.asker, wish.matchup):
                    yield replace(delay_reply(delay), private=True)
            elif wish:
                async for reply in solved_first(oracle, rules, caller, wish.rules, wish.players):
                    yield replace(reply, private=True)
            async for reply in drill_asked(drill, caller, wish):
                yield reply
            return
        if words and words[0] in {"answer", say("answer").lower()}:
            del words[0]
        number = whole_number(" ".join(words), lambda _: _usage())
        yield drill_reply(await drill.answer(caller, number, position))

    return [
        Command(
            "/drill [answer N]",
            say_later("your worst decisions again, and positions like them"),
            answer,
            {
                "position": say_later(
                    "the position that is answered, where it is not the last one"
                ),
                "players": say_later("how many play, for new positions of such games"),
                **_DICE,
                "rules": say_later("a rule set, for new positions"),
                "goal": say_later("another goal"),
            },
            examples=("/drill", "/drill answer 2", "/drill players:3"),
        )
    ]


async def drill_asked(
    drill: Drill, caller: Caller, wish: Wish | None = None
) -> AsyncIterator[Reply]:
    """What is asked now, for who is to answer it alone, once that is known."""
    async for told in drill.asked(caller, wish):
        if isinstance(told, Delay):
            yield replace(delay_reply(told), private=True)
        else:
            yield Reply(told, drill_text, drill_data, private=True)


def drill_reply(found: DrillVerdict) -> Reply:
    """What an answer comes to, for who gave it alone."""
    return Reply(found, drill_verdict_text, drill_verdict_data, private=True)


async def _wish(line: Line, caller: Caller, rules: HouseRules) -> Wish | None:
    """The game that a line names for new positions, if it does. Raises FarkleError."""
    if not line.options:
        return None
    with_sets, players = has_sets(line.options), line.number("players")
    if players is not None and not 2 <= players <= MOST_PLAYERS:
        raise InvalidRequestError.say(
            "players: takes 2 to {most}, not {number}", most=MOST_PLAYERS, number=players
        )
    players = players or 2
    named = line.option("rules") or (KCD if with_sets else None)
    found = await rules.resolve(caller.place, named)
    meant = with_goal(found, line.number("goal"), named=not with_sets)
    if not with_sets:
        return Wish(meant, players)
    kits = kits_of_all(line, meant, players)
    return Wish(meant, len(kits), kits, line.choice("joker-alone", YES_OR_NO) is True)


def _usage() -> str:
    return say("/drill asks for a decision, and /drill answer 2 answers it")
