"""What is a visitor's own: what they practise, and rules that they make."""

import re
import secrets
from urllib.parse import quote

from aiohttp import web

from bot.chat.commands import Command, Commands
from bot.chat.presses import read_press
from bot.chat.pressing import Pressing, changed
from bot.fronts.web.answers import Answer, Answers, plain
from bot.fronts.web.rendering import Page
from bot.fronts.web.visitors import COOKIE
from bot.layout import whole_sentence
from bot.services.house_rules import DEFAULT_BASE
from bot.services.rule_options import RULE_OPTIONS, SINGLE, checked_name
from bot.tasks.answering import at_once
from bot.views.library import find_rules
from solver.errors import FarkleError
from solver.rules.options import YES_NO, RuleOption
from solver.wording import say

_PRACTISE = "practise"
_BOARD = "daily", ("what", "board")
"""The command that has a board, and the option that asks for it."""
_SHORT_FORMS = {"straight", "single"}
"""Options that others say as well."""
_SOLVING = "solving"
_CHANGES = {"solve", "delete", "use"}
"""What may be done with rules that are there."""


class Own:
    """Pages that know who visits."""

    def __init__(self, commands: Commands, pressing: Pressing, answers: Answers) -> None:
        self._commands, self._pressing, self._answers = commands, pressing, answers
        self._rules = pressing.rules

    @property
    def practice(self) -> dict[str, Command]:
        """Return the commands that people practise by, by name; a game has its review itself."""
        known = self._commands.by_name.values()
        commands = [command for command in known if command.group == _PRACTISE]
        return {command.name: command for command in commands if command.name != "review"}

    async def practise(self, page: Page) -> web.StreamResponse:
        """Show what there is to practise on."""
        return page.render("practise.html", here=_PRACTISE, commands=list(self.practice.values()))

    async def begin(self, page: Page, command: Command) -> web.StreamResponse:
        """Know who visits from now on, and go on to what they want to practise."""
        await page.form()
        page.welcome()
        return page.onward(f"/{command.name}")

    async def asked(self, page: Page, command: Command) -> web.StreamResponse:
        """Ask what a visitor is to answer."""
        if not page.visitor.is_known:
            return page.render("known.html", here=_PRACTISE, command=command)
        is_board = command.name == _BOARD[0] and page.given == dict([_BOARD[1]])
        line = f"/{command.name} {_BOARD[1][1]}" if is_board else f"/{command.name}"
        answer = await self._answers.to_line(page.visitor.caller(), line)
        return page.told(say(command.summary), answer, _PRACTISE, _more())

    async def press(self, page: Page) -> web.StreamResponse:
        """Do what a button below an answer stands for."""
        form = await page.form()
        press = read_press(form.get("press", ""))
        do = None if press is None else self._pressing.of_features.get(type(press))
        # who is not known has nothing that could be kept
        if do is None or not page.visitor.is_known:
            raise changed()
        came = await do(page.visitor.caller(), press)
        number = secrets.token_hex(4)
        await self._answers.to((page.visitor.id, number), lambda: came.told, kept=True)
        return page.onward(f"/told/{number}")

    async def told(self, page: Page) -> web.StreamResponse:
        """Show what came of a press, as long as it is known."""
        key = page.visitor.id, page.request.match_info["number"]
        answer = await self._answers.under_way(key, kept=True)
        if answer.is_done and not answer.last:
            return page.onward("/practise")
        return page.told(say("The answer"), answer, _PRACTISE, _more())

    async def privacy(self, page: Page) -> web.StreamResponse:
        """Say what is kept about visitors."""
        return page.render("privacy.html", is_forgotten="forgotten" in page.given)

    async def forget(self, page: Page) -> web.StreamResponse:
        """Delete what is stored about who visits, and their cookie."""
        await page.form()
        answer = await self._answers.to_line(page.visitor.caller(), "/forget me", 20)
        if answer.error:
            return page.refused(answer.error, answer.status)
        response = page.onward("/privacy", forgotten="yes")
        response.del_cookie(COOKIE)
        return response

    async def rules(self, page: Page) -> web.StreamResponse:
        """List the rule sets, those of who visits first, or those that say some words."""
        entries = [entry for entry in await self._rules.list(page.visitor.id) if entry.rules]
        notice = ""
        if words := plain(page.given.get("find", "")):
            by_rules = {entry.rules: entry for entry in entries if entry.rules}
            try:
                finding = await at_once(find_rules, by_rules, words)
            except FarkleError as error:
                entries, notice = [], whole_sentence(str(error))
            else:
                entries = [by_rules[rules] for rules in finding.rules]
                if not finding.is_whole:
                    notice = say("These fit in part:")
                if finding.unknown:
                    notice = say("No rule set says {words}.", words=", ".join(finding.unknown))
        return page.render("rules.html", here="rules", entries=entries, notice=notice)

    async def rule_set(self, page: Page) -> web.StreamResponse:
        """Explain a rule set."""
        rules = await self._rules.resolve(page.visitor.id, page.request.match_info["name"])
        entries = await self._rules.list(page.visitor.id)
        entry = next((known for known in entries if known.name == rules.name), None)
        sure = page.given.get("sure") == "delete"
        return page.render("rule_set.html", here="rules", rules=rules, entry=entry, sure=sure)

    async def rule_form(self, page: Page) -> web.StreamResponse:
        """Show the form that makes rules."""
        return await self._form(page, {"base": page.given.get("base", DEFAULT_BASE)})

    async def make(self, page: Page) -> web.StreamResponse:
        """Make rules, and solve them."""
        form = await page.form()
        given = {key: plain(form.get(key, "")) for key in ("name", "base", *_option_names())}
        options = [f'{key}:"{value}"' for key, value in given.items() if value and key != "name"]
        try:
            name = checked_name(given["name"])
        except FarkleError as error:
            return await self._form(page, given, str(error), 400)
        line = " ".join(["/rules new", name, *options])
        visitor = page.visitor
        answer = await self._changed(page, _SOLVING, name, line)
        if answer.error and len(answer.replies) == 1:
            page.visitor = visitor  # nobody has to be known for what was not made
            return await self._form(page, given, answer.error, answer.status)
        return page.onward(f"/rules/{quote(name)}/solving")

    async def change(self, page: Page) -> web.StreamResponse:
        """Solve rules, delete them or play by them from now on."""
        form, name = await page.form(), page.request.match_info["name"]
        do = form.get("do", "")
        if do not in _CHANGES:
            raise changed()
        does = _SOLVING if do == "solve" else do
        answer = await self._changed(page, does, name, f"/rules {do} {plain(name)}")
        if answer.error:
            return page.refused(answer.error, answer.status)
        return page.onward(f"/rules/{quote(name)}/solving" if do == "solve" else "/rules")

    async def solving(self, page: Page) -> web.StreamResponse:
        """Show how far the solve of a visitor's rules is, and then these."""
        name = page.request.match_info["name"]
        answer = await self._answers.under_way((page.visitor.id, _SOLVING, name))
        if answer.is_done and not answer.error:
            return page.onward(f"/rules/{quote(name)}")
        title = say("Solving {name}", name=name)
        return page.told(title, answer, "rules", (say("Rule sets"), "/rules"))

    async def _changed(self, page: Page, does: str, name: str, line: str) -> Answer:
        """What is said to a command that does something to rules."""
        caller = page.welcome().caller()
        key = page.visitor.id, does, name
        return await self._answers.to(key, lambda: self._commands.answer(line, caller))

    async def _form(
        self, page: Page, given: dict[str, str], error: str = "", status: int = 200
    ) -> web.Response:
        entries = await self._rules.list(page.visitor.id)
        blamed = next((name for name in _option_names() if re.match(rf"{name}\b", error, re.I)), "")
        return page.render(
            "rule_form.html",
            status,
            here="rules",
            given=given,
            groups=_option_groups(),
            answers_to=_answers_to,
            bases=[entry.name for entry in entries if entry.rules],
            error=error,
            blamed=blamed,
        )


def _more() -> tuple[str, str]:
    """Where to go on from what was practised."""
    return say("More to practise"), "/practise"


def _option_groups() -> list[tuple[str, list[str]]]:
    """The options of rules, by what they are about."""
    names = _option_names()[len(SINGLE) :]
    worth = [name for name in names if RULE_OPTIONS[name].place[0] == "scoring"]
    return [
        (say("One die by itself"), list(SINGLE)),
        (say("What dice are worth"), worth),
        (say("Turns and the end"), [name for name in names if name not in worth]),
    ]


def _answers_to(option: RuleOption) -> list[tuple[str, str]]:
    """What an option may be, as it is typed and in words; nothing where anything may be typed."""
    if option.kind is YES_NO:
        return [("yes", say("yes")), ("no", say("no"))]
    answers = [(typed, say(meaning)) for typed, meaning in option.meanings.items()]
    if option.kind.is_list and answers:
        every = ",".join(option.meanings), ", ".join(said for _, said in answers)
        return [("none", say("none")), *answers, every]
    return answers


def _option_names() -> list[str]:
    """The options of rules by which all can be said, faces of single dice first."""
    return [*SINGLE, *(name for name in RULE_OPTIONS if name not in {*_SHORT_FORMS, *SINGLE})]
