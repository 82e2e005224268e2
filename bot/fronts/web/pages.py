"""Pages that ask: each is a command of the chat, whose options are the address's."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from bot.chat.commands import Command, Commands, Reply
from bot.chat.fields import Field
from bot.chat.pressing import Pressing
from bot.fronts.web.answers import PATIENCE, Answer, Answers, asked, line_of
from bot.fronts.web.pictures import DAY, DRAWN, pictures_of
from bot.fronts.web.rendering import Page, link
from bot.layout import cleaned, narrowed
from bot.services.advisor import Advisor
from bot.services.situation import DEFAULT_RULES, KCD, has_sets
from bot.views.advice import opened_by
from bot.views.dice_picture import dice_png
from bot.views.drawing import ON_LIGHT, draw_as
from bot.views.sheet import sheet_of
from bot.views.thresholds import bank_from_text
from bot.views.turn_picture import turn_picture
from solver.errors import FarkleError
from solver.named.catalogue import Version
from solver.named.rolls import JOKER_LETTER
from solver.named.sets import NamedDie, read_dice
from solver.play.advice import Advice, Odds
from solver.play.maps import turn_map
from solver.rules.ruleset import FACES, Ruleset
from solver.turn.dice import JOKER
from solver.turn.memory import typed_set
from solver.wording import figure, say

_FACES = {str(face): face for face in FACES} | {JOKER_LETTER: JOKER}


@dataclass(frozen=True, slots=True)
class Tray:
    """What can be tapped to make a roll, and the roll so far."""

    rows: tuple[tuple[str, tuple[tuple[int, str], ...]], ...]
    """Dice that can be added, by name, each face with where a tap leads, "" where none does."""
    rolled: tuple[tuple[int, str, str], ...]
    """The dice of the roll: the face, the name, and where a tap leads that takes it away."""
    missing: int
    """Dice that are still to be told for a whole roll."""


def plain_roll(page: Page, given: Mapping[str, str], dice: str, whole: int) -> Tray:
    """Return a roll of equal dice, given by its digits."""
    is_full = len(dice) >= whole

    def to(rest: str) -> str:
        return page.link("/", given, dice=rest)

    adds = tuple((face, "" if is_full else to(f"{dice}{face}")) for face in FACES)
    rolled = ((int(face), "", to(dice[:k] + dice[k + 1 :])) for k, face in enumerate(dice))
    return Tray((("", adds),), tuple(rolled), whole - len(dice))


def loaded_roll(page: Page, given: Mapping[str, str]) -> Tray | None:
    """Return the roll of an address that names its dice; None where it was typed otherwise."""
    dice = {key_of(die): die for die in dice_of(given.get("my-dice", ""))}
    left = Counter(map(key_of, dice_of(given.get("my-dice", ""))))
    parts = [
        part.strip().partition(" ") for part in given.get("dice", "").split(",") if part.strip()
    ]
    roll = [(face, name) for face, _, name in parts]
    left.subtract(name for _, name in roll)
    if not dice or min(left.values()) < 0 or not {face for face, _ in roll} <= _FACES.keys():
        return None

    def to(dice: list[tuple[str, str]]) -> str:
        return page.link("/", given, dice=",".join(map(" ".join, dice)))

    rows = tuple(
        (die.typed, tuple((_FACES[face], to([*roll, (face, key)])) for face in _shown(die)))
        for key, die in dice.items()
        if left[key]
    )
    rolled = tuple(
        (_FACES[face], dice[name].typed, to(roll[:k] + roll[k + 1 :]))
        for k, (face, name) in enumerate(roll)
    )
    return Tray(rows, rolled, left.total())


def dice_of(text: str) -> list[NamedDie]:
    """Return the dice that a text names, none where it cannot be read."""
    with suppress(FarkleError):
        return read_dice(text)
    return []


def key_of(named: NamedDie) -> str:
    """Return what a die is called in addresses, whatever the language."""
    if not named.key:
        return named.typed
    is_plain = named.version is Version.PATCHED
    return named.key if is_plain else f"{named.key}@{named.version}"


def set_text(dice: Iterable[NamedDie]) -> str:
    """Return dice as they stand in addresses."""
    counted = Counter(map(key_of, dice))
    return ",".join(name + (f"*{number}" if number > 1 else "") for name, number in counted.items())


def _shown(named: NamedDie) -> list[str]:
    """The faces that a die can show, as they are typed."""
    faces = (face for face in FACES if named.die.weights[face - 1])
    return [JOKER_LETTER if face in named.die.jokers else str(face) for face in faces]


_FIRST = ("dice", "turn", "me", "them", "rules")
"""Fields that are asked for first."""
_SCORES = ("me", "them")
_USUAL_DICE = 6
"""The number of dice where nobody knows the rules."""
_ENDINGS, RULES = "endings", "rules"
_DICE = re.compile(r"[1-6\s,]{,60}")
"""More are refused by the command; each of so many would be shown with a link."""
_NO_PAGE_OF_THEIR_OWN = {"advise", "position", "odds", "explore", "explain"}
"""Questions that the list of numbers need not have."""


class Pages:
    """Pages that ask."""

    def __init__(self, commands: Commands, pressing: Pressing, answers: Answers) -> None:
        self._commands, self._answers = commands, answers
        self._rules, self._oracle = pressing.rules, pressing.games.oracle
        self._ours: list[Ruleset] = []
        """The rules that ship with the program."""

    @property
    def questions(self) -> dict[str, Command]:
        """Return the commands that have a page and an answer as JSON, by name."""
        known = self._commands.by_name.items()
        return {name: command for name, command in known if command.is_question}

    async def rules(self, page: Page) -> list[Ruleset]:
        """Return the rules that a visitor may choose from; those of whom nobody knows are ours."""
        if page.visitor.is_known or not self._ours:
            entries = await self._rules.list(page.visitor.id)
            rules = [entry.rules for entry in entries if entry.rules]
            if page.visitor.is_known:
                return rules
            self._ours = rules
        return self._ours

    async def answer(self, page: Page, line: str, patience: float = PATIENCE) -> Answer:
        """Return what a line is answered for a visitor, or what there is of it so far."""
        return await self._answers.to_line(page.visitor.caller(), line, patience)

    async def ask(self, page: Page) -> web.StreamResponse:
        """Answer what to keep of a roll."""
        draw_as(None)
        command = self._commands.by_name["advise"]
        given = asked(command, page.given)
        typed = narrowed(given.get("dice", ""))
        is_plain = _DICE.fullmatch(typed) is not None
        dice = re.sub(r"[\s,]", "", typed) if is_plain else typed
        if dice:
            given["dice"] = dice
        rules = await self.rules(page)
        whole = await self._dice_of(page, given.get(RULES, DEFAULT_RULES), rules)
        loaded = loaded_roll(page, given) if has_sets(given) else None
        tray = loaded or plain_roll(page, given, dice if is_plain else "", whole)
        begins = given.get("turn", "0") == "0" and (is_plain or loaded is not None)
        missing = tray.missing if begins else 0
        is_asked = bool(dice) and missing <= 0
        answer = await self.answer(page, line_of(command, given)) if is_asked else Answer()
        last = answer.last
        advice = last.subject if last and isinstance(last.subject, Advice) else None
        options = advice.options if advice else ()
        may_tell_ends = any(option.action == "roll" and option.ends is None for option in options)
        return page.answered(
            "ask.html",
            answer,
            here="ask",
            given=given,
            tray=tray,
            missing=missing if dice else 0,
            id=opened_by(advice) if advice else None,
            ends_link=page.link("/", given, **{_ENDINGS: "yes"}) if may_tell_ends else "",
            turn_link=_explore_link(page, given, advice),
            rules=[known.name for known in rules],
            **_fields(command, given),
        )

    async def _dice_of(self, page: Page, name: str, rules: list[Ruleset]) -> int:
        """How many dice there are by the rules of a name."""
        if whole := next((known.dice for known in rules if known.name == name), 0):
            return whole
        with suppress(FarkleError):  # said when it is asked
            return (await self._rules.resolve(page.visitor.id, name)).dice
        return _USUAL_DICE

    async def command(self, page: Page, command: Command) -> web.StreamResponse:
        """Answer the question of a command, or show what may be asked."""
        draw_as(None)
        given = asked(command, page.given)
        # who has only opened the page has not asked yet
        is_asked = bool(page.given) or not command.fields
        answer = await self.answer(page, line_of(command, given)) if is_asked else Answer()
        last = answer.last if answer.is_done and not answer.error else None
        data = last.data if last else {}
        walks = isinstance(data, dict) and "steps" in data
        rules, pictures, border = await self.rules(page), [], ""
        if last and walks:
            walk = last.subject
            border = bank_from_text(walk.bank_from, walk.odds.rules.point_step, walk.named)
        files = {"CSV": f"/{command.name}.csv", "JSON": f"/api/v1/{command.name}"}
        if last and command.name in DRAWN:
            here = await self._rules.resolve(page.visitor.id, given.get("rules"))
            pictures = pictures_of(page, here, given)
        return page.answered(
            "command.html",
            answer,
            here=_menu_of(command),
            given=given,
            steps=_steps(page, given, last) if last and walks else {},
            border=border,
            pictures=pictures,
            files=[(kind, link(path, given)) for kind, path in files.items()] if data else [],
            rules=[known.name for known in rules],
            sliders=_sliders(given, rules) if command.name == "explore" else {},
            **_fields(command, given),
        )

    async def csv(self, page: Page) -> web.StreamResponse:
        """Give the answer to a question as a table for spreadsheets."""
        draw_as(None)
        command = self.questions.get(page.request.match_info["command"])
        if command is None:
            raise web.HTTPNotFound
        answer = await self.answer(page, line_of(command, asked(command, page.given)), 20)
        if answer.error or not answer.is_done or not answer.last:
            return page.told(say(command.summary), answer, "numbers")
        name = f'attachment; filename="{command.name}.csv"'
        return web.Response(
            text=cleaned(f"{sheet_of(answer.last.data).csv}\n"),
            content_type="text/csv",
            headers={"Content-Disposition": name},
        )

    async def numbers(self, page: Page) -> web.StreamResponse:
        """List all that can be asked."""
        others = [
            command for name, command in self.questions.items() if name not in _NO_PAGE_OF_THEIR_OWN
        ]
        return page.render("numbers.html", here="numbers", commands=others)

    async def position(self, page: Page) -> web.StreamResponse:
        """Show a position by its ID."""
        draw_as(None)
        answer = await self._of_id(page)
        is_found = answer.is_done and not answer.error
        preview = f"{page.request.url.with_query(None)}.png" if is_found else ""
        title = say("Position {id}", id=page.request.match_info["id"])
        onward = say("Ask about another roll"), "/"
        return page.told(title, answer, "ask", onward, preview=preview)

    async def preview(self, page: Page) -> web.StreamResponse:
        """Draw a position for whoever shows a link to it: its dice, or its turn as a map."""
        last = (await self._of_id(page)).last
        match last.subject if last else None:
            case Advice(roll=roll):
                drawn = dice_png(roll)
            case Odds() as odds:
                asker, advisor = page.visitor.caller().asker, self._oracle.advisor
                drawn = await self._oracle.tasks.aside(asker, _drawn_turn, advisor, odds)
            case _:
                raise web.HTTPNotFound
        return web.Response(body=drawn, content_type="image/png", headers=DAY)

    async def _of_id(self, page: Page) -> Answer:
        line = line_of(self.questions["position"], {"id": page.request.match_info["id"]})
        return await self.answer(page, line)


def _steps(page: Page, given: dict[str, str], reply: Reply) -> dict[str, list[tuple[str, str]]]:
    """What each step is called and where it leads, by what it changes."""
    rows: dict[str, list[tuple[str, str]]] = {}
    # names of rules may be of several words
    game = {name: given[name] for name in (RULES, "goal") if name in given}
    for step in reply.data["steps"]:
        name, *options = step["command"].removeprefix("/").split()
        changed = dict(option.split(":", 1) for option in options if ":" in option)
        amount = figure(step["amount"], "+,").replace("-", "\N{MINUS SIGN}")
        rows.setdefault(step["changes"], []).append(
            (amount, page.link(f"/{name}", {**changed, **game}))
        )
    return rows


def _sliders(given: dict[str, str], rules: list[Ruleset]) -> dict[str, tuple[int, int, int]]:
    """The value of each slider, the most that it takes and its steps, in points."""
    usual = KCD if has_sets(given) else DEFAULT_RULES
    meant = next((known for known in rules if known.name == given.get(RULES, usual)), None)
    goal, scores = given.get("goal", ""), [given.get(name, "0") for name in _SCORES]
    # of several players there are several scores, which are typed
    if meant is None or not all(
        typed.isdecimal() and len(typed) < 7 for typed in (*scores, goal or "0")
    ):
        return {}
    step = meant.point_step
    most = (int(goal or meant.winning_score) - 1) // step * step
    return {name: (min(int(v), most), most, step) for name, v in zip(_SCORES, scores, strict=True)}


def _fields(command: Command, given: dict[str, str]) -> dict[str, Any]:
    """The fields of a command: those that are asked for first, and the others."""
    fields = command.fields
    main: list[Field] = [field for field in fields if field.name in _FIRST or field.required]
    main = main or list(fields[:4])
    first = {field.name for field in main}
    others = [field for field in fields if field.name not in first]
    more_given = any(field.name in given for field in others if field.name != _ENDINGS)
    return {"command": command, "main": main, "more": others, "more_given": more_given}


def _menu_of(command: Command) -> str:
    """Which entry of the menu a command belongs to."""
    if command.name in {"explain", "explore"}:
        return "explore"
    if command.name in {"odds", "advise"}:
        return "ask"
    return "numbers" if command.is_question else "practise"


def _explore_link(page: Page, given: dict[str, str], advice: Advice | None) -> str:
    """Where the turn of a position is explored after its best choice."""
    if advice is None or advice.brought or not advice.options:
        return ""
    after = advice.after(advice.options[0])
    others = {name: value for name, value in given.items() if name not in {"dice", _ENDINGS}}
    turn = {
        "turn": after.turn_total,
        "dice": after.dice,
        "hot-dice": after.hot_dice if advice.rules.hot_dice_counted > 1 else "",
        "to-confirm": "yes" if after.to_confirm else "",
        "points-to-confirm": after.to_confirm if advice.rules.confirm_points else "",
        "throws": after.throws or "",
        "held-set": typed_set(after.held_set),
    }
    return page.link("/explore", {**others, **turn})


def _drawn_turn(advisor: Advisor, odds: Odds) -> bytes:
    """The turn of a position. Raises StrategyFileError where its rules are not solved."""
    return turn_picture(turn_map(advisor.strategy(odds.rules), odds.position), style=ON_LIGHT)
