"""The commands about loaded dice: who wins with which, which to take, and what the games have."""

from collections.abc import Sequence
from functools import partial

from bot.chat import fields
from bot.chat.advice import dice_told
from bot.chat.commands import Line, Reply, Stream, answered_by, question
from bot.chat.features import Core, Feature
from bot.chat.presses import CommandPress, pressable
from bot.chat.waiting import replies
from bot.features.kingdom import service, view
from bot.services.chances import Oracle
from bot.services.house_rules import HouseRules
from bot.services.loaded import MatchupFolders, folders_of, seconds_of
from bot.services.situation import KCD, ME_OR_THEM, has_sets
from bot.services.tables import Caller
from bot.tasks.answering import at_once
from bot.views import named_dice
from bot.views.card import Card, text_card
from solver.errors import InvalidRequestError
from solver.named.catalogue import Badge, known_badges, known_dice
from solver.named.sets import find_die, read_dice
from solver.rules.ruleset import Ruleset
from solver.wording import say_later, short

_CHOOSING = {"own", "buy"}
"""Options that ask which dice to take."""


def feature(core: Core) -> Feature:
    """/kcd."""
    questions = LoadedQuestions(core.oracle, core.rules, folders_of(core.settings))
    return Feature(answered_by(questions))


class LoadedQuestions:
    """Who wins with which dice, and which to take."""

    def __init__(self, oracle: Oracle, rules: HouseRules, folders: MatchupFolders) -> None:
        self._oracle = oracle
        self._rules = rules
        self._folders = folders

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
        question = service.KcdQuestion(
            dice_told(line, await self._meant(line, caller)), _begins(line)
        )
        each = [await at_once(seconds_of, self._folders, matchup) for matchup in question.matchups]
        what, work = say_later("loaded dice"), (service.kcd_answer, self._folders, question)
        task = self._oracle.tasks.told(caller.asker, what, *work, each=sum(each))
        yield replies(task, view.kcd_text, view.kcd_data)

    async def _choice(self, line: Line, caller: Caller) -> Stream:
        dice = dice_told(line, await self._meant(line, caller))
        owned = tuple(read_dice(own)) if (own := line.option("own")) else ()
        question = service.ChoiceQuestion(dice, owned, _begins(line))
        if most := line.option("buy"):
            yield self._purchase(question, service.read_price(most), caller)
            return
        seconds = await at_once(service.seconds_of_choice, question)
        what, work = say_later("choice of dice"), (service.choice_answer, self._folders, question)
        task = self._oracle.tasks.told(caller.asker, what, *work, each=seconds)
        yield replies(task, view.choice_text, view.choice_data)

    async def _purchase(
        self, owned: service.ChoiceQuestion, most: int | None, caller: Caller
    ) -> Stream:
        question = service.PurchaseQuestion(owned, most)
        seconds = await at_once(service.seconds_of_purchase, question)
        what, work = say_later("choice of dice"), (service.purchase_answer, self._folders, question)
        task = self._oracle.tasks.told(caller.asker, what, *work, each=seconds)
        yield replies(task, view.purchase_text, view.purchase_data)

    async def _meant(self, line: Line, caller: Caller) -> Ruleset:
        """The rules of a line, with its goal. Raises FarkleError."""
        meant = await self._rules.resolve(caller.place, line.option("rules") or KCD)
        return line.to_goal(meant, named=False)


def _begins(line: Line) -> bool:
    return line.choice("began", ME_OR_THEM) is not False


def _badges_card(known: Sequence[Badge]) -> Card:
    return pressable(text_card(partial(named_dice.badges_text, known), "kcd badges"), CommandPress)
