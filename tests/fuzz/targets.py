"""What is fuzzed: for each target what it is given, its examples, and words that it knows."""

import asyncio
import json
import logging
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from unittest import mock

from bot.chat import commands as chat_commands
from bot.chat.commands import Commands, Reply
from bot.cli.rules import check_data, check_text
from bot.cli.verify import read_proof, verdict_data, verdict_text
from bot.fronts.lines import spoken_by
from bot.languages import language
from bot.services.advisor import Advisor
from bot.settings import CHECKOUT, Settings
from bot.store import store as storing
from bot.store.rows import Happened, SeatRow, StoredGame
from bot.table.fair_dice import prove, verify_proof
from bot.tasks import solving
from bot.views.library import diff_text
from bot.views.rules_text import rules_data, rules_text
from bot.wiring import Parts, open_parts
from solver.errors import FarkleError, InvalidRulesError, SolveError
from solver.game.solvable import unsolvable
from solver.game.standings import Solution
from solver.rules.file import check_file, load_rules, preset_names
from solver.rules.ruleset import Ruleset, Scoring
from solver.rules.writer import write_rules
from solver.strategy import save_strategy
from solver.wording import said_in
from tests.bot.table import test_fair_dice
from tests.house_rules import ONE_BY_ONE
from tests.made_up import made_up_values

Give = Callable[[bytes], None]
"""Hands one input to the program; raises where that is a find."""

_SOLVED = ("facebook", "kcd")
_MOST_LINES = 12


class FindError(Exception):
    """The program said what it never should."""


class Log(logging.Handler):
    """What the program says of its failures."""

    def __init__(self, *refusals: type[Exception]) -> None:
        super().__init__(logging.WARNING)
        self._refusals: tuple[type[Exception], ...] = (FarkleError, *refusals)
        self.found: list[BaseException] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep what is no refusal."""
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, self._refusals):
            return
        if error is not None:
            self.found.append(error)
        elif record.levelno >= logging.ERROR:
            self.found.append(FindError(record.getMessage()))


def open_target(name: str, folder: Path) -> AbstractContextManager[Give]:
    """A target by its name, which may write to a folder."""
    from tests.fuzz.discord import open_discord  # noqa: PLC0415 - discord.py takes its time
    from tests.fuzz.pages import open_pages  # noqa: PLC0415 - which imports this

    targets: dict[str, Callable[[Path], AbstractContextManager[Give]]] = {
        "chat": _chat,
        "rules": _rules,
        "events": _events,
        "proofs": _proofs,
        "discord": open_discord,
        "pages": open_pages,
    }
    return targets[name](folder)


# ---- The chat --------------------------------------------------------------------------------


@asynccontextmanager
async def open_program(folder: Path) -> AsyncIterator[Parts]:
    """The program behind all fronts; solves fail at once, and strategies are made up."""
    # far less than the watch allows: what is asked to compute for long is refused or ended in time
    settings = Settings(data=folder, task_seconds=5)
    for name in _SOLVED:
        rules = load_rules(name)
        made_up = Solution(rules, made_up_values(rules), 1e-9, 1, 0.0, 1e-9, 1, 1.0)
        save_strategy(made_up, settings.strategies)
    with (
        mock.patch.object(chat_commands, "failure", _only_refusals(chat_commands.failure)),
        mock.patch.object(storing, "REST", 0.0),  # what many people wait for is waited for at once
        mock.patch.object(solving, "solve_told", refuse),
    ):
        async with open_parts(settings, Advisor(settings.strategies), allow_files=True) as parts:
            yield parts


def refuse(*_: object) -> None:
    """Solve nothing, in a worker."""
    raise SolveError("not here")


def _only_refusals(failure: Callable[[Exception], Reply]) -> Callable[[Exception], Reply]:
    def strict(error: Exception) -> Reply:
        if not isinstance(error, FarkleError):
            raise error
        return failure(error)

    return strict


def check_reply(reply: Reply) -> None:
    """Show a reply in every way."""
    assert isinstance(reply.text, str)
    said_in(language("de"), lambda: reply.text)
    json.dumps(reply.data)


async def say_lines(commands: Commands, lines: list[str], place: str) -> None:
    """Answer lines as the console does, all in one place, by people who are nowhere else."""
    for line in lines[:_MOST_LINES]:
        caller, said = spoken_by(line)
        person = replace(caller.person, id=f"{place}:{caller.person.name.casefold()}")
        caller = replace(caller, place=place, person=person)
        async for reply in commands.answer(said, caller):
            check_reply(reply)
            if reply.ends:
                return


@contextmanager
def _chat(folder: Path) -> Iterator[Give]:
    places = count()
    with asyncio.Runner() as runner:
        program = open_program(folder)
        parts = runner.run(program.__aenter__())

        def give(data: bytes) -> None:
            lines = data.decode(errors="replace").split("\n")
            runner.run(say_lines(parts.commands, lines, f"fuzz {next(places)}"))

        try:
            yield give
        finally:
            runner.run(program.__aexit__(None, None, None))


# ---- Files of rules --------------------------------------------------------------------------


@contextmanager
def _rules(folder: Path) -> Iterator[Give]:
    path = folder / "mine.toml"

    def give(data: bytes) -> None:
        path.write_bytes(data)
        rules, findings = check_file(path, unsolvable)
        check_text(check_data([(str(path), rules, findings)]))
        if rules is None:
            assert findings
            try:
                read = load_rules(str(path))
            except InvalidRulesError as error:
                if "\n" in str(error):
                    raise FindError("a sentence of several lines") from error
                return
            assert unsolvable(read)
            return
        assert load_rules(str(path)) == rules
        for speaks in ("en", "de"):
            said_in(language(speaks), rules_text, rules)
            said_in(language(speaks), diff_text, rules, load_rules("kcd"), ("mine", "kcd"))
        json.dumps(rules_data(rules))
        again = folder / "again.toml"
        write_rules(again, rules)
        assert load_rules(str(again)).digest == rules.digest

    yield give


# ---- Events ----------------------------------------------------------------------------------


@contextmanager
def _events(folder: Path) -> Iterator[Give]:
    """A game of ann and bob with any events: to look at it is an answer or a refusal."""
    games = count(1)
    with asyncio.Runner() as runner:
        program = open_program(folder)
        parts = runner.run(program.__aenter__())

        async def look_at(rows: Happened) -> None:
            number = next(games)
            place, game = f"fuzz {number}", f"{number:08x}"
            seats = tuple(
                SeatRow(k, f"{place}:{who}", who, None) for k, who in enumerate(("ann", "bob"))
            )
            at = datetime.now(UTC)
            stored = StoredGame(game, place, "kcd", True, len(rows), at, None, seats)
            try:
                await parts.store.create_game(stored, rows, b"s" * 32, 9)
            except FarkleError:
                return
            lines = [f"/show game:{game}", "ann: /hint", "/games", "ann: /roll", "bob: /score 300"]
            lines += ["ann: /undo", f"/review {game}", "ann: /resign sure:yes", "ann: /stats"]
            await say_lines(parts.commands, lines, place)

        def give(data: bytes) -> None:
            try:
                rows = [(kind, event) for kind, event in json.loads(data)]
                json.dumps([event for _, event in rows], allow_nan=False).encode()
            except (ValueError, TypeError, RecursionError):
                return
            if rows and all(isinstance(kind, str) for kind, _ in rows):
                runner.run(look_at(rows))

        try:
            yield give
        finally:
            runner.run(program.__aexit__(None, None, None))


# ---- Proofs ----------------------------------------------------------------------------------


@contextmanager
def _proofs(_: Path) -> Iterator[Give]:
    def give(data: bytes) -> None:
        try:
            proof = read_proof(data, "proof.json")
            verdict = verify_proof(proof)
        except FarkleError as error:
            if "\n" in str(error):
                raise FindError("a sentence of several lines") from error
            return
        verdict_text(verdict, proof).encode()
        json.dumps(verdict_data(verdict, proof))

    yield give


# ---- Examples and words ----------------------------------------------------------------------


def seeds(target: str) -> Iterator[bytes]:
    """Real examples for a target."""
    if target == "chat":
        for path in sorted((CHECKOUT / "tests" / "playthroughs").rglob("*.txt")):
            said = re.findall(r"^> (.*)", path.read_text("utf-8"), re.MULTILINE)
            for first in range(0, min(len(said), 60), 6):
                yield "\n".join([*said[:1], *said[first : first + 6]]).encode()
        yield from (line.encode() for line in _LINES)
    elif target == "rules":
        for path in sorted((CHECKOUT / "data" / "rules").glob("*.toml")):
            yield path.read_bytes()
        yield from (text.encode() for text in _ODD_RULES)
    elif target == "events":
        yield from (json.dumps(game).encode() for game in _games())
    elif target == "proofs":
        for vector in test_fair_dice.VECTORS:
            rolls = [(None, (), one["dice"]) for one in vector["rolls"]]
            pairs = test_fair_dice.seeds_of(vector)
            secret = bytes.fromhex(vector["secret"])
            yield prove(vector["game"], secret, pairs, rolls).to_json().encode()
    else:
        from tests.fuzz import discord, pages  # noqa: PLC0415

        yield from (discord if target == "discord" else pages).examples()


def words(target: str) -> list[str]:
    """What to put in now and then."""
    keys = [*Ruleset.model_fields, *Scoring.model_fields]
    if target in {"chat", "discord", "pages"}:
        spelled = [f"{key.replace('_', '-')}:" for key in keys]
        from tests.bot.slash_options import slash_options  # noqa: PLC0415 - as above

        names = [
            *(f"/{name}" for name in slash_options()),
            *preset_names(),
            "ann: ",
            "bob: ",
            "/rules ",
        ]
        options = ["game:", "rules:", "level:", "me:", "them:", "turn:", "dice:", "farkles:"]
        more = ["optimal", "greedy", "everything", "yes", "no", "\n/", '"channel": null, ']
        return [*names, *spelled, *options, *more]
    if target == "rules":
        return [*keys, "[scoring]", "in_a_row", "points", '"everything"', "true", '"xxxxxx"', "[["]
    kinds = [
        "begun",
        "joined",
        "rolled",
        "kept",
        "banked",
        "scored",
        "undone",
        "corrected",
        "ended",
    ]
    more = ["seat", "dice", "points", "ending", "rules", "levels", "null", "-1", "true", '""', "[]"]
    return [*kinds, *more, "scheme", "commitment", "secret", "seeds", "rolls", "number", "text"]


_LINES = (
    "/advise 6 5 3 3 3 2 me:0 rules:kcd",
    "6 5 3 3 3 2",
    "/odds turn:350 dice:2 me:4200 them:5000",
    "/rules new mine base:classic goal:2000 three-pairs:750\n/rules show mine\n/rules use mine",
    "/rules new x dice:3 goal:500 single:100,0,0,0,50,0 farkle-penalty:2,everything\n/rules",
    "/track @ann @bob rules:kcd\nann: /score 300\nbob: /score farkle\n/fix ann 500\nbob: /undo",
    "ann: /play bob rules:kcd goal:500\nbob: /join\nann: /seed abc\nann: /roll\nann: /hint\n/show",
    "/match greedy cautious games:2 rules:kcd show:moves",
    "/tournament new knock-out rules:kcd goal:2000",
    "bob: /tournament join",
    "/tournament start",
    "/tournament play @bob",
    "/leaderboard season:2026-Q4 bots:no",
    "/levels rules:kcd\n/stats ann bob where:everywhere\n/leaderboard\n/dice where:here\n/proof 1",
    "/settings games:3 mentions:yes posts:yes language:de\n/help advise\n/games\n/forget me",
    "ann: /play level:max-points rules:facebook away:60\n/replace\n/skip\n/resign\n/end\n/review",
    "/advise ⚅⚄⚂ me:−100 rules:'x'\n/keep 1 1 roll\n/odds hot-dice:2\n/quit",
)

_ODD_RULES = (
    'goal = 11\ndice = 2\nopening_minimum = 4\ninstant_win = ["4"]\nlose_everything = ["22"]\n'
    "hot_dice_bonus = [0]\n[scoring]\nsingle = [0, 0, 0, 1, 0, 4]\n"
    "three_of_a_kind = [5, 2, 3, 4, 4, 6]\n",
    "goal = 500\ndice = 3\nloaded_dice = {}\n",
    'goal = 300\ndice = 2\nending = "equal_turns"\nties = "played_on"\nscore_floor = -300\n'
    'farkle_penalty = { in_a_row = 2, points = "everything" }\nfarkle_keeps_turn_total = true\n',
)


def _games() -> Iterator[list[tuple[str, dict[str, object]]]]:
    """Rows of small games, as they are stored."""
    rules = dict(ONE_BY_ONE)["final_turn played_on with minimums"]
    for used, tracked in ((load_rules("kcd"), False), (rules, False), (rules, True)):
        begun: dict[str, object] = {
            "game": "1",
            "rules": used.model_dump(mode="json"),
            "levels": [None, None],
        }
        if tracked:
            begun["tracked"] = True
            yield [
                ("begun", begun),
                ("scored", {"points": 300}),
                ("scored", {"ending": "farkle"}),
                ("corrected", {"seat": 1, "score": 200, "moves": True}),
                ("undone", {}),
                ("scored", {"points": 400}),
                ("resigned", {"seat": 0}),
            ]
        else:
            dice = [1, 5, 3, 2, 2, 6][: used.dice]
            yield [
                ("begun", begun),
                ("seeded", {"seat": 1, "text": "abc"}),
                ("rolled", {"dice": dice}),
                ("kept", {"dice": [5, 1]}),
                ("banked", {}),
                ("rolled", {"dice": dice}),
                ("skipped", {}),
                ("replaced", {"seat": 1, "level": "greedy"}),
                ("ended", {}),
                ("revealed", {"secret": "00" * 32}),
            ]


logging.getLogger("asyncio").setLevel(logging.CRITICAL)
