"""The commands about loaded dice: who wins with which, which to take, and what the games have."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from bot.chat import fields
from bot.chat.advice import dice_told
from bot.chat.commands import Line, Reply, Stream, answered_by, question
from bot.chat.features import Core, Feature
from bot.chat.presses import CommandPress, pressable
from bot.chat.waiting import replies
from bot.features.kingdom import service, view
from bot.services.loaded import LoadedDice, folders_of, seconds_of
from bot.services.situation import KCD, ME_OR_THEM, has_sets
from bot.services.tables import Caller
from bot.tasks.answering import at_once
from bot.views import named_dice
from bot.views.card import Card, text_card
from solver.errors import InvalidRequestError
from solver.named.catalogue import Badge, known_badges, known_dice
from solver.named.sets import find_die, read_dice
from solver.wording import say_later, short

_CHOOSING = {"own", "buy"}
"""Options that ask which dice to take."""
_Ways = tuple[Callable[..., Any], Callable[[Any], str], Callable[[Any], Any]]


def feature(core: Core) -> Feature:
    """/kcd."""
    return Feature(answered_by(LoadedQuestions(core)))


class LoadedQuestions:
    """Who wins with which dice, and which to take."""

    def __init__(self, core: Core) -> None:
        self._tasks, self._rules = core.oracle.tasks, core.rules
        self._folders = folders_of(core.settings)

    @question(
        "/kcd my-dice:SET",
        say_later("loaded dice: who wins, which to take; /kcd dice, /kcd badges"),
        fields.word(
            "list", say_later("a list to show"), choices=(say_later("dice"), say_later("badges"))
        ),
        *fields.SETS,
        fields.goal(say_later("points to reach")),
        fields.Field("own", say_later("the dice you own: find the best six of them")),
        fields.Field("buy", say_later("which die to buy next: the most you can pay, or any")),
        fields.Field("began", say_later("me or them: who throws first"), choices=tuple(ME_OR_THEM)),
        fields.rules(say_later("a rule set; kcd if left out")),
        examples=(
            "/kcd my-dice:lucky*3,odd,ordinary*2 their-dice:weighted,ordinary*5 goal:1500",
            "/kcd own:lucky*2,odd goal:1500",
            "/kcd own:lucky*2,odd buy:500 goal:1500",
            "/kcd dice tengri",
        ),
    )
    async def _kcd(self, line: Line, caller: Caller) -> Stream:
        match [str(word).lower() for word in line.arguments]:
            case ["dice"]:
                yield Reply(known_dice(), named_dice.dice_list_text, named_dice.dice_list_data)
            case ["dice", *name]:
                known = find_die(" ".join(name).partition("@")[0])
                yield Reply(
                    known, named_dice.die_text, lambda die: named_dice.dice_list_data([die])
                )
            case ["badges"]:
                yield Reply(
                    known_badges(), named_dice.badges_text, named_dice.badges_data, _badges_card
                )
            case [] if _CHOOSING.intersection(line.options):
                yield self._choice(line, caller)
            case [] if has_sets(line.options):
                yield self._answer(line, caller)
            case [_, *_] if _CHOOSING.intersection(line.options) or has_sets(line.options):
                raise InvalidRequestError.say(
                    '/kcd does not know what "{words}" belongs to: put commas between dice, and a'
                    ' name of several words in quotes, as in my-dice:"2 die of misfortune, 4 odd"',
                    words=short(line.words),
                )
            case [_, *_]:
                raise InvalidRequestError.say(
                    '/kcd does not know "{words}"; write /kcd dice, /kcd dice NAME or /kcd badges,'
                    " or your dice, as in my-dice:lucky*3,odd,ordinary*2",
                    words=short(line.words),
                )
            case _:
                raise InvalidRequestError.say(
                    "/kcd takes your dice, as in my-dice:lucky*3,odd,ordinary*2, or those to choose"
                    " from, as in own:lucky*2,odd,devil; /kcd dice lists the dice"
                )

    async def _answer(self, line: Line, caller: Caller) -> Stream:
        dice, begins = await self._game(line, caller)
        question = service.KcdQuestion(dice, begins)
        each = [await at_once(seconds_of, self._folders, matchup) for matchup in question.matchups]
        what, work = say_later("loaded dice"), (service.kcd_answer, self._folders, question)
        task = self._tasks.told(caller.asker, what, *work, each=sum(each))
        yield replies(task, view.kcd_text, view.kcd_data)

    async def _choice(self, line: Line, caller: Caller) -> Stream:
        dice, begins = await self._game(line, caller)
        owned = tuple(read_dice(own)) if (own := line.option("own")) else ()
        question = service.ChoiceQuestion(dice, owned, begins)
        ways: _Ways = service.choice_answer, view.choice_text, view.choice_data
        if most := line.option("buy"):
            price = service.read_price(most)
            question = service.PurchaseQuestion(dice, owned, begins, most_price=price)
            ways = service.purchase_answer, view.purchase_text, view.purchase_data
        seconds = await at_once(service.seconds_of_choice, question)
        answered, text, data = ways
        what, work = say_later("choice of dice"), (answered, self._folders, question)
        yield replies(self._tasks.told(caller.asker, what, *work, each=seconds), text, data)

    async def _game(self, line: Line, caller: Caller) -> tuple[LoadedDice, bool]:
        """The game that a line is about, and whether I begin. Raises FarkleError."""
        meant = await self._rules.resolve(caller.place, line.option("rules") or KCD)
        dice = dice_told(line, line.to_goal(meant, named=False))
        return dice, line.choice("began", ME_OR_THEM) is not False


def _badges_card(known: Sequence[Badge]) -> Card:
    return pressable(text_card(partial(named_dice.badges_text, known), "kcd badges"), CommandPress)
