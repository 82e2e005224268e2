"""Pages that ask: each is a command of the chat, whose options are the address's."""

import re
from contextlib import suppress
from functools import partial
from typing import Any

from aiohttp import web

from bot.chat.commands import Command, Commands, Reply
from bot.chat.fields import Field
from bot.chat.pressing import Pressing
from bot.fronts.web.answers import REFRESH, Answer, Answers, asked, error_of, line_of
from bot.fronts.web.pictures import pictures_of
from bot.fronts.web.rendering import Page, command_link, link
from bot.services.situation import DEFAULT_RULES, has_sets
from bot.typed import narrowed
from bot.views.advice import opened_by
from bot.views.drawing import draw_as
from bot.views.thresholds import bank_from_text
from solver.errors import FarkleError
from solver.play.advice import Advice
from solver.rules.ruleset import Ruleset
from solver.wording import spoken

_FIRST = ("dice", "turn", "me", "them", "rules")
"""Fields that are asked for first."""
_ENDINGS, RULES = "endings", "rules"
_DICE = re.compile(r"[1-6\s,]{,60}")
"""More are refused by the command; each of so many would be shown with a link."""
_NO_PAGE_OF_THEIR_OWN = {"advise", "position", "odds", "explore", "explain"}
"""Questions that the list of numbers need not have."""


class Pages:
    """Pages that ask."""

    def __init__(self, commands: Commands, pressing: Pressing, answers: Answers) -> None:
        self._commands, self._answers = commands, answers
        self._rules = pressing.rules
        self._ours: list[Ruleset] = []
        """The rules that ship with the program."""

    @property
    def questions(self) -> dict[str, Command]:
        """Return the commands that have a page and an answer as JSON, by name."""
        known = self._commands.by_name.items()
        return {name: one for name, one in known if one.is_question and one.fields is not None}

    async def rules(self, page: Page) -> list[Ruleset]:
        """Return the rules that a visitor may choose from; those of whom nobody knows are ours."""
        if page.visitor.is_known or not self._ours:
            entries = await self._rules.list(page.visitor.id)
            found = [one.rules for one in entries if one.rules]
            if page.visitor.is_known:
                return found
            self._ours = found
        return self._ours

    async def answer(self, page: Page, line: str, patience: float | None = None) -> Answer:
        """Return what a line is answered for a visitor, or what there is of it so far."""
        key = page.visitor.id, spoken().code, line
        make = partial(self._commands.answer, line, page.visitor.caller())
        more = {} if patience is None else {"patience": patience}
        return await self._answers.to(key, make, **more)

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
        usual = given.get(RULES, DEFAULT_RULES)
        whole = next((one.dice for one in rules if one.name == usual), 0)
        if not whole:
            with suppress(FarkleError):  # said when it is asked
                whole = (await self._rules.resolve(page.visitor.id, usual)).dice
        missing = 0 if not is_plain or given.get("turn", "0") != "0" else whole - len(dice)
        is_asked = bool(dice) and missing <= 0
        # who is not known has no rules of their own that would have to be looked up
        named = {} if page.visitor.is_known or has_sets(given) else {RULES: DEFAULT_RULES}
        line = line_of(command, {**named, **given})
        answer = await self.answer(page, line) if is_asked else Answer()
        last = answer.last
        found = last.subject if last and isinstance(last.subject, Advice) else None
        return page.render(
            "ask.html",
            400 if answer.error else 200,
            here="ask",
            given=given,
            dice=dice,
            faces=[int(face) for face in dice] if is_plain else [],
            full=len(dice) >= (whole or 6),
            missing=missing if dice else 0,
            replies=[last] if last else [],
            id=opened_by(found) if found else None,
            ends_link=page.link("/", given, **{_ENDINGS: "yes"}) if _may_tell_ends(found) else "",
            turn_link=_explore_link(page, given, found),
            refresh=0 if answer.is_done or not is_asked else REFRESH,
            rules=[one.name for one in rules],
            **_fields(command, given),
        )

    async def command(self, page: Page, command: Command) -> web.StreamResponse:
        """Answer the question of a command, or show what may be asked."""
        draw_as(None)
        given = asked(command, page.given)
        # who has only opened the page has not asked yet
        is_asked = bool(page.given) or not command.fields
        answer = await self.answer(page, line_of(command, given)) if is_asked else Answer()
        return await self.answered(page, command, given, answer, is_done=not is_asked)

    async def answered(
        self,
        page: Page,
        command: Command,
        given: dict[str, str],
        answer: Answer,
        *,
        is_done: bool = False,
    ) -> web.StreamResponse:
        """Show an answer below the fields of its command."""
        is_done = is_done or answer.is_done
        last = answer.last if is_done else None
        is_good = last is not None and not error_of(last)
        data = last.data if last and is_good and command.is_question else {}
        walks = isinstance(data, dict) and "steps" in data
        return page.render(
            "command.html",
            200 if is_good or not last else 400,
            here=_menu_of(command),
            given=given,
            replies=[last] if last else [],
            working=answer.working if not is_done else "",
            steps=self._steps(page, last) if last and walks else [],
            border=_border(last) if last and walks else "",
            pictures=pictures_of(page, command, given) if is_good else [],
            data_link=link(f"/api/v1/{command.name}", given) if data else "",
            refresh=0 if is_done else REFRESH,
            rules=[one.name for one in await self.rules(page)],
            **_fields(command, given),
        )

    async def numbers(self, page: Page) -> web.StreamResponse:
        """List all that can be asked."""
        others = [one for name, one in self.questions.items() if name not in _NO_PAGE_OF_THEIR_OWN]
        return page.render("numbers.html", here="numbers", commands=others)

    def _steps(self, page: Page, reply: Reply) -> list[list[tuple[str, str]]]:
        """What steps are called and where they lead, in rows by what they change."""
        rows: dict[str, list[tuple[str, str]]] = {}
        for step in reply.data["steps"]:
            address = command_link(page, self._commands, step["command"])
            rows.setdefault(step["changes"], []).append((step["label"], address))
        return list(rows.values())


def _border(reply: Reply) -> str:
    """When to bank in the turn of a position."""
    brought = reply.subject.odds.brought
    return bank_from_text(reply.subject.bank_from, brought.mine if brought else None)


def _fields(command: Command, given: dict[str, str]) -> dict[str, Any]:
    """The fields of a command: those that are asked for first, and the others."""
    fields = command.fields or ()
    main: list[Field] = [one for one in fields if one.name in _FIRST or one.required]
    main = main or list(fields[:4])
    more = [one for one in fields if one not in main]
    more_given = any(one.name in given for one in more if one.name != _ENDINGS)
    return {"command": command, "main": main, "more": more, "more_given": more_given}


def _menu_of(command: Command) -> str:
    """Which entry of the menu a command belongs to."""
    if command.name in {"explain", "explore"}:
        return "explore"
    if command.name in {"odds", "advise"}:
        return "ask"
    return "numbers" if command.is_question else "practise"


def _may_tell_ends(found: Advice | None) -> bool:
    """Whether how the turn ends can be told, and is not yet."""
    options = found.options if found else ()
    return any(one.action == "roll" and one.ends is None for one in options)


def _explore_link(page: Page, given: dict[str, str], found: Advice | None) -> str:
    """Where the turn of a position is explored after its best choice."""
    if found is None or found.brought or not found.options:
        return ""
    after = found.after(found.options[0])
    others = {name: value for name, value in given.items() if name not in {"dice", _ENDINGS}}
    turn = {
        "turn": after.turn_total,
        "dice": after.dice,
        "hot-dice": after.hot_dice if found.rules.hot_dice_bonus else "",
        "to-confirm": "yes" if after.to_confirm else "",
        "throws": after.throws or "",
    }
    return page.link("/explore", {**others, **turn})
