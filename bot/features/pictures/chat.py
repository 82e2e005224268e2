"""The commands that show the turn at hand as a picture, and walk through all positions."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from typing import Annotated, ClassVar

import numpy as np
from pydantic.dataclasses import dataclass

from bot.chat import fields
from bot.chat.commands import Line, Reply, Stream, question
from bot.chat.features import Core, Feature, Pressed
from bot.chat.presses import LONGEST_ID, ActionName, LanguageTag, Press, matching, pressable
from bot.features.pictures import service, view
from bot.services.chances import Oracle
from bot.services.situation import has_sets
from bot.services.tables import Caller, Table, check_hints
from bot.tasks.answering import at_once
from bot.views.card import Card
from bot.views.drawing import wanted_picture
from bot.views.turn_picture import turn_picture
from solver.game.position import Position
from solver.game.standings import Standing
from solver.rules.ruleset import Ruleset
from solver.turn.dice import TurnState
from solver.wording import say_later, spoken

_DIGEST, _NAME = 12, 24
"""Letters of the digest and, at most, of the name of rules in the id of a button."""


def feature(core: Core) -> Feature:
    """/explain and /explore, with buttons that walk on."""

    async def walk(caller: Caller, press: Walk) -> Pressed:
        return Pressed(walked(core, caller, press))

    questions, oracle = core.questions, core.oracle

    @question(
        "/explain dice:N",
        say_later("this turn as a picture: when to roll, when to bank"),
        fields.DICE,
        *fields.POSITION,
        examples=("/explain turn:350 dice:2 me:4200 them:5000",),
    )
    def explain(line: Line, caller: Caller) -> Stream:
        async def reply(answer: service.Explanation, here: Table | None) -> Reply:
            if here and here.seat_of(caller.person) != here.game.mover:
                answer = replace(answer, seen_by=here.names[here.game.mover])
            answer = replace(answer, picture=await _picture(oracle, caller, answer))
            made = view.explanation_text, view.explanation_data, view.explanation_card
            return Reply(answer, *made, private=here is not None, is_drawn=True)

        of_game = partial(service.explained_in, oracle.advisor)
        of_position = partial(service.explained, oracle.advisor)
        return questions.answered(line, caller, of_game, of_position, reply)

    @question(
        "/explore dice:N",
        say_later("walk through all positions"),
        fields.DICE,
        *fields.POSITION,
        examples=(
            "/explore me:2800 them:3500 rules:kcd",
            "/explore my-dice:lucky*3,odd,ordinary*2 goal:1500 turn:300 dice:lucky*2",
        ),
    )
    def explore(line: Line, caller: Caller) -> Stream:
        async def reply(answer: service.Exploration, here: Table | None) -> Reply:
            # dice of one's own are told with their rules and goal
            names = () if has_sets(line.options) else ("rules", "goal")
            options = ((name, line.option(name)) for name in names)
            game = " ".join(f"{name}:{value}" for name, value in options if value is not None)
            return exploration(answer, game, private=here is not None)

        of_game = partial(service.explored, oracle.advisor.asked_in)
        of_position = partial(service.explored, oracle.advisor.asked)
        return questions.answered(line, caller, of_game, of_position, reply)

    return Feature([explain, explore], {Walk: walk})


async def _picture(oracle: Oracle, caller: Caller, answer: service.Explanation) -> bytes | None:
    """The picture of an explanation, unless there is no time for pictures, or none is wanted."""
    turn, named = answer.turn, answer.named
    if (style := wanted_picture()) is None:
        return None
    names = [named.left(dice).text for dice in turn.columns] if named else []
    draw = partial(turn_picture, turn, style=style, names=names)
    return await oracle.tasks.drawn(caller.asker, draw)


@dataclass(frozen=True)
class Walk(Press):
    """Leads to a position of a solved game, all of which its id carries."""

    kind: ClassVar[str] = "x"
    digest: Annotated[str, matching("[0-9a-f]{12}")]
    """The beginning of that of the rules."""
    language: LanguageTag
    packed: Annotated[
        str,
        matching(r"-?[0-9]{1,7}(?:\.-?[0-9]{1,7}){7}|-?[0-9a-z]{1,5}(?:\.-?[0-9a-z]{1,5}){8,13}"),
    ]
    name: Annotated[str, matching("[^:]{1,24}")]
    """The name of the rules, or its beginning."""
    action: ActionName

    @property
    def is_list(self) -> bool:
        """Whether something else to change was chosen."""
        return self.action == "change"

    def chosen_entry(self, entry: str) -> "Walk":
        """What it means where it is this entry of the list. Raises ValueError for no field."""
        return replace(self, action=service.Field(entry).value)

    @property
    def changes(self) -> service.Field:
        """What the steps from its position change."""
        known = (
            field for field in service.Field if re.fullmatch(f"{field}((up|down)2?)?", self.action)
        )
        field = next(known, service.Field.OWN)
        return field if field.is_counted else service.Field.OWN


async def walked(core: Core, caller: Caller, press: Walk) -> AsyncIterator[Reply]:
    """The position that a press on a button leads to. Raises FarkleError."""
    oracle = core.oracle
    rules = await at_once(oracle.advisor.rules_of, press.digest, press.name)
    position = unpacked(rules, press.packed)
    scores = tuple(position.players[k].score for k in position.in_order)
    check_hints(await core.tables.open_at(caller.place), caller, rules, scores)
    work = service.explored_at, oracle.advisor, rules
    answer = await oracle.answered(caller.asker, rules, *work, position, players=len(scores))
    turned = {step.field: step.position for step in answer.steps if not step.amount}
    over = turned.get(service.Field(press.action)) if press.action in {*service.Field} else None
    if over and press.action != service.Field.SIDES:
        answer = await oracle.answered(caller.asker, rules, *work, over, players=len(scores))
    yield exploration(answer, changes=press.changes)


def exploration(
    answer: service.Exploration,
    game: str = "",
    *,
    private: bool = False,
    changes: service.Field = service.Field.OWN,
) -> Reply:
    """A position with the ways on as a reply; `changes`: what the steps that are shown change."""
    text = partial(view.exploration_text, game=game)
    data, card = partial(view.exploration_data, game=game), partial(_walk_card, changes)
    began_in = None if answer.odds.brought else ""
    return Reply(answer, text, data, card, private=private, began_in=began_in)


def _walk_card(changes: service.Field, answer: service.Exploration) -> Card | None:
    """A position with the ways on; None where dice of one's own are told as text."""
    if answer.odds.brought:
        return None
    card, language = view.exploration_card(answer, changes), spoken().code
    return pressable(card, lambda action: walk_press(answer, action, language))


def walk_press(answer: service.Exploration, action: str, language: str) -> Walk:
    """The press that leads from a position to one a step away."""
    rules, here = answer.odds.rules, answer.odds.position
    leads = {step.action: step.position or here for step in answer.steps}
    digest, position = rules.digest[:_DIGEST], packed(rules, leads.get(action, here))
    room = LONGEST_ID - len(f"x:{digest}:{language}:{position}::{action}")
    return Walk(digest, language, position, rules.name[: min(_NAME, room)], action)


_MEMORY = 1000
"""Added to the dice in few letters, so often as what the turn remembers says."""


def _needs(rules: Ruleset) -> tuple[int, ...]:
    """What may be left to be confirmed, or nothing or anything under rules that know of none."""
    return rules.needs if len(rules.needs) > 1 else (False, True)


def packed(rules: Ruleset, position: Position) -> str:
    """A position in few letters: of two players in decimal figures, of several to the base 36."""
    needs, turn = _needs(rules), position.turn
    order = [position.players[k] for k in position.in_order]
    boards = sum(player.on_board << k for k, player in enumerate(order))
    memory = turn.throws + 8 * position.rounds_left
    for known, entry in ((rules.sets, turn.held_set), (needs, turn.to_confirm)):
        memory = len(known) * memory + known.index(entry)
    numbers = (
        *(player.score for player in order),
        position.turn_total,
        position.dice + _MEMORY * memory,
        position.farkles,
        position.opponent_farkles,
        position.hot_dice,
        boards + (len(order) - 1 - position.mover << len(order)),
        *([position.to_beat] if rules.beat_previous_turn else []),
    )
    base = 10 if len(order) == 2 else 36
    return ".".join(np.base_repr(number, base).lower() for number in numbers)


def unpacked(rules: Ruleset, text: str) -> Position:
    """The position of which `packed` made so many numbers; whether it can be is not looked at."""
    parts, needs = text.split("."), _needs(rules)
    last = len(parts) - rules.beat_previous_turn
    count = last - 6
    numbers = [int(part, 10 if count == 2 else 36) for part in parts]
    total, dice, farkles, opponent_farkles, hot_dice, boards = numbers[count:last]
    order = [Standing(score, 0, bool(boards >> k & 1)) for k, score in enumerate(numbers[:count])]
    mover = (count - 1 - (boards >> count)) % count
    players = tuple(order[(k - mover) % count] for k in range(count))
    memory, dice = divmod(dice, _MEMORY)
    memory, need = divmod(memory, len(needs))
    memory, held = divmod(memory, len(rules.sets))
    turn = TurnState(total, dice, hot_dice, needs[need], memory % 8, rules.sets[held])
    position = Position(players, mover, turn, rounds_left=memory // 8)
    to_beat = sum(numbers[last:])
    return position.change(farkles=farkles, opponent_farkles=opponent_farkles, to_beat=to_beat)
