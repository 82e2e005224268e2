"""What is a visitor's own: what they practise, and rules that they make."""

import re
from collections.abc import AsyncIterator
from urllib.parse import quote

from aiohttp import web

from bot.chat.commands import Command, Commands, Reply
from bot.chat.presses import ReviewPage, TablePress, read_press
from bot.chat.pressing import Pressing, changed
from bot.fronts.web.answers import Answer, Answers, plain
from bot.fronts.web.rendering import Page, onward
from bot.fronts.web.visitors import COOKIE, Visitor, Visitors
from bot.services.house_rules import DEFAULT_BASE
from bot.services.rule_options import RULE_OPTIONS, SINGLE
from bot.tasks.solving import SolveProgress
from solver.wording import say, spoken

_PRACTISE = "practise"
_SHORT_FORMS = {"straight", "single"}
"""Options that others say as well."""
_SOLVING = "solving"
_CHANGES = {"solve", "delete", "use"}
"""What may be done with rules that are there."""


class Own:
    """Pages that know who visits."""

    def __init__(
        self, commands: Commands, pressing: Pressing, answers: Answers, visitors: Visitors
    ) -> None:
        self._commands, self._pressing = commands, pressing
        self._answers, self._visitors = answers, visitors
        self._rules = pressing.rules

    @property
    def practice(self) -> dict[str, Command]:
        """Return the commands that people practise by, by name; a game has its review itself."""
        known = self._commands.by_name.values()
        found = [one for one in known if one.group == _PRACTISE and one.fields is not None]
        return {one.name: one for one in found if one.name != "review"}

    async def practise(self, page: Page) -> web.StreamResponse:
        """Show what there is to practise on."""
        return page.render("practise.html", here=_PRACTISE, commands=list(self.practice.values()))

    async def begin(self, page: Page, command: Command) -> web.StreamResponse:
        """Know who visits from now on, and go on to what they want to practise."""
        return await self._known(page, f"/{command.name}")

    async def asked(self, page: Page, command: Command) -> web.StreamResponse:
        """Ask what a visitor is to answer."""
        if not page.visitor.is_known:
            return page.render("known.html", here=_PRACTISE, command=command)
        caller = page.visitor.caller()
        key = page.visitor.id, spoken().code, command.name
        answer = await self._answers.to(
            key, lambda: self._commands.answer(f"/{command.name}", caller)
        )
        return self._told(page, answer, say(command.summary))

    async def press(self, page: Page) -> web.StreamResponse:
        """Do what a button below an answer stands for."""
        form = await self._visitors.form(page.request, page.visitor)
        press = read_press(form.get("press", ""))
        if press is None or isinstance(press, TablePress | ReviewPage):
            raise changed()
        do = self._pressing.of_features.get(type(press))
        if do is None:
            raise changed()
        came = await do(page.visitor.caller(), press)
        answer = await self._answers.to((page.visitor.id, press.id), lambda: came.told, 20)
        return self._told(page, answer, say("The answer"))

    def _told(self, page: Page, answer: Answer, title: str) -> web.Response:
        return page.render(
            "told.html",
            400 if answer.error else 200,
            here=_PRACTISE,
            title=title,
            replies=answer.replies[-1:],
            refresh=0 if answer.is_done or page.request.method == "POST" else 2,
        )

    async def privacy(self, page: Page) -> web.StreamResponse:
        """Say what is kept about visitors."""
        return page.render("privacy.html")

    async def forget(self, page: Page) -> web.StreamResponse:
        """Delete what is stored about who visits, and their cookie."""
        await self._visitors.form(page.request, page.visitor)
        caller = page.visitor.caller()
        answer = await self._answers.to(
            (page.visitor.id, "forget"), lambda: self._commands.answer("/forget me", caller), 20
        )
        response = self._told(page, answer, say("Privacy"))
        if not answer.error:
            response.del_cookie(COOKIE)
        return response

    async def rules(self, page: Page) -> web.StreamResponse:
        """List the rule sets, and those of who visits first."""
        entries = await self._rules.list(page.visitor.id)
        return page.render(
            "rules.html", here="rules", entries=[one for one in entries if one.rules]
        )

    async def rule_set(self, page: Page) -> web.StreamResponse:
        """Explain a rule set."""
        name = page.request.match_info["name"]
        rules = await self._rules.resolve(page.visitor.id, name)
        entries = await self._rules.list(page.visitor.id)
        entry = next((one for one in entries if one.name == rules.name), None)
        return page.render("rule_set.html", here="rules", rules=rules, entry=entry)

    async def rule_form(self, page: Page) -> web.StreamResponse:
        """Show the form that makes rules."""
        return await self._form(page, {"base": page.given.get("base", DEFAULT_BASE)})

    async def make(self, page: Page) -> web.StreamResponse:
        """Make rules, and solve them."""
        form = await self._visitors.form(page.request, page.visitor)
        visitor = self._visitors.welcome(page.visitor, "")
        given = {key: plain(form.get(key, "")) for key in ("name", "base", *_option_names())}
        options = [f'{key}:"{value}"' for key, value in given.items() if value and key != "name"]
        name = given["name"] or "-"
        line = " ".join(["/rules new", name, *options])
        answer = await self._changed(visitor, _SOLVING, name, line)
        if answer.error and len(answer.replies) == 1:
            return await self._form(page, given, answer.error)
        response = onward(page.link(f"/rules/{quote(name)}/solving"))
        self._visitors.keep(response, visitor)
        return response

    async def change(self, page: Page) -> web.StreamResponse:
        """Solve rules, delete them or play by them from now on."""
        form = await self._visitors.form(page.request, page.visitor)
        visitor, name = self._visitors.welcome(page.visitor, ""), page.request.match_info["name"]
        do = form.get("do", "")
        if do not in _CHANGES:
            raise changed()
        does = _SOLVING if do == "solve" else do
        answer = await self._changed(visitor, does, name, f"/rules {do} {plain(name)}")
        if answer.error:
            return page.refused(answer.error, 400)
        response = onward(page.link(f"/rules/{quote(name)}/solving" if do == "solve" else "/rules"))
        self._visitors.keep(response, visitor)
        return response

    async def solving(self, page: Page) -> web.StreamResponse:
        """Show how far the solve of a visitor's rules is, and then these."""
        name = page.request.match_info["name"]
        answer = await self._changed(page.visitor, _SOLVING, name, "")
        if answer.is_done and not answer.error:
            return onward(page.link(f"/rules/{quote(name)}"))
        last = answer.last.subject if answer.last else None
        return page.render(
            "solving.html",
            here="rules",
            name=name,
            replies=answer.replies[-1:],
            share=last.far.done if isinstance(last, SolveProgress) and last.far else None,
            refresh=0 if answer.is_done else 2,
        )

    async def _changed(self, visitor: Visitor, does: str, name: str, line: str) -> Answer:
        """What is said to a command that does something to rules, or to the one under way."""

        async def told() -> AsyncIterator[Reply]:
            if line:
                async for reply in self._commands.answer(line, visitor.caller()):
                    yield reply

        return await self._answers.to((visitor.id, does, name), told)

    async def _form(self, page: Page, given: dict[str, str], error: str = "") -> web.Response:
        entries = await self._rules.list(page.visitor.id)
        blamed = next((name for name in _option_names() if re.match(rf"{name}\b", error, re.I)), "")
        return page.render(
            "rule_form.html",
            400 if error else 200,
            here="rules",
            given=given,
            options=_option_names(),
            bases=[one.name for one in entries if one.rules],
            error=error,
            blamed=blamed,
        )

    async def _known(self, page: Page, address: str) -> web.StreamResponse:
        await self._visitors.form(page.request, page.visitor)
        response = onward(page.link(address))
        self._visitors.keep(response, self._visitors.welcome(page.visitor, ""))
        return response


def _option_names() -> list[str]:
    """The options of rules by which all can be said, faces of single dice first."""
    return [*SINGLE, *(one for one in RULE_OPTIONS if one not in {*_SHORT_FORMS, *SINGLE})]
