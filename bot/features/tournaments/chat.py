"""The command of a tournament: make it, join, start, play the games, end it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Annotated, ClassVar

from pydantic.dataclasses import dataclass

from bot.chat import fields
from bot.chat.commands import YES_OR_NO, Command, Line, Reply, Stream, Word, asked
from bot.chat.features import Core, Feature, Pressed
from bot.chat.presses import GameId, LanguageTag, Press, matching, pressable
from bot.chat.waiting import only, solved_for_game
from bot.features.tournaments import view
from bot.features.tournaments.bracket import Form, Pairing, State, Tournament
from bot.features.tournaments.service import TournamentNews, Tournaments, rules_of
from bot.services.tables import Caller, Person, Table
from bot.views.card import Card
from bot.views.game import table_data, table_text
from solver.errors import InvalidRequestError
from solver.wording import say, say_later, spoken

WHAT = (
    say_later("new"),
    say_later("join"),
    say_later("withdraw"),
    say_later("start"),
    say_later("play"),
    say_later("show"),
    say_later("remove"),
    say_later("end"),
)
"""What can be done to a tournament, as it is typed."""

_DO: dict[object, Callable[[Tournaments, Caller, str | None], Awaitable[TournamentNews]]] = {
    "join": Tournaments.join,
    "leave": Tournaments.leave,
    "start": Tournaments.start,
    "end": Tournaments.end,
    "show": Tournaments.shown,
}
"""What needs no more than a tournament."""


@dataclass(frozen=True)
class TournamentPress(Press):
    """Does something in a tournament; two numbers are the pairing that is to play."""

    kind: ClassVar[str] = "w"
    tournament: GameId
    language: LanguageTag
    """The tag of the language of the message."""
    action: Annotated[str, matching("join|leave|start|show|[0-9]{1,2}-[0-9]{1,2}")]

    @property
    def sides(self) -> tuple[int, int] | None:
        """The two who are to play, by number."""
        first, dash, second = self.action.partition("-")
        return (int(first), int(second)) if dash else None


def feature(core: Core) -> Feature:
    """/tournament, its buttons, and how it stands when one of its games is over."""
    tournaments = Tournaments(core.games)

    async def press(caller: Caller, press: TournamentPress) -> Pressed:
        shown = await tournaments.shown(caller, press.tournament)
        tournament = shown.tournament
        pairing = tournament.between(*press.sides) if tournament and press.sides else None
        if tournament and pairing and pairing.state in {State.DUE, State.PLAYING}:
            tournaments.check_begins(caller, tournament, pairing)

            async def renewed() -> Reply:
                return tournament_reply(await tournaments.shown(caller, press.tournament))

            game = begun(core, tournaments, caller, tournament, pairing)
            return Pressed(game, anew=True, renewed=renewed)
        if press.action in _DO and tournament and not tournament.over:
            shown = await _DO[press.action](tournaments, caller, press.tournament)
        return Pressed(only(tournament_reply(shown)))

    async def after_game(table: Table) -> Reply | None:
        standing = await tournaments.after(table)
        if standing is None:
            return None
        # beside the data of the table
        data = {"tournament": view.state_data(standing.tournament)}
        return replace(tournament_reply(standing), make_data=lambda _: data)

    return Feature(tournament_commands(core, tournaments), {TournamentPress: press}, after_game)


def tournament_commands(core: Core, tournaments: Tournaments) -> list[Command]:
    """/tournament."""

    @asked(
        "/tournament [new]",
        say_later(
            "a tournament, round-robin or knock-out: new, join, withdraw, start, play, remove, end"
        ),
        fields.word(
            "what", say_later("what to do; shows the tournament if left out"), choices=WHAT
        ),
        fields.word(
            "form", say_later("for a new tournament: who plays against whom"), choices=tuple(Form)
        ),
        fields.person("player", say_later("the player to play against, or to remove")),
        fields.rules(),
        fields.goal(),
        fields.yes_no("hints", say_later("yes: allow hints")),
        group="play",
        examples=("/tournament new knock-out rules:kcd goal:2000", "/tournament"),
    )
    async def answer(line: Line, caller: Caller) -> Stream:
        what, *others = [*line.arguments] or ["show"]
        names = [word if isinstance(word, Person) else str(word) for word in others]
        match what if isinstance(what, Person) else _meant(str(what)):
            case "new":
                yield tournament_reply(await made(line, caller, others))
            case "play":
                tournament, pairing = await tournaments.pairing(caller, names)
                yield begun(core, tournaments, caller, tournament, pairing)
            case "remove":
                if len(names) != 1:
                    raise InvalidRequestError.say("/tournament remove takes a name")
                yield tournament_reply(await tournaments.leave(caller, None, names[0]))
            case action if action in _DO and not others:
                yield tournament_reply(await _DO[action](tournaments, caller, None))
            case _:
                raise InvalidRequestError.say(
                    "/tournament shows the games; other words after it are new, join, withdraw,"
                    " start, play, remove NAME and end"
                )

    async def made(line: Line, caller: Caller, others: Sequence[Word]) -> TournamentNews:
        form = Form.ROUND_ROBIN
        if others:
            form = _form("-".join(str(word).lower() for word in others))
        chosen = line.to_goal(await core.rules.resolve(caller.place, line.option("rules")))
        hints = line.choice("hints", YES_OR_NO) is True
        return await tournaments.make(caller, form, chosen, hints=hints)

    return [answer]


async def begun(
    core: Core, tournaments: Tournaments, caller: Caller, tournament: Tournament, pairing: Pairing
) -> Stream:
    """The game of a pairing, once its rules are solved where that is quick, or as it stands."""
    if (table := await tournaments.shown_table(pairing)) is not None:
        yield Reply(table, table_text, lambda news: table_data(news.table, news.chances))
        return
    yield solved_for_game(core.oracle, core.rules, caller, rules_of(tournament), 2)
    yield tournaments.play(caller, tournament, pairing)


def tournament_reply(news: TournamentNews) -> Reply:
    """A tournament, for all to see."""
    return Reply(news, view.tournament_text, view.tournament_data, _card, began_in=news.language)


def _card(news: TournamentNews) -> Card:
    card, tournament, language = view.tournament_card(news), news.tournament, spoken().code
    if tournament is None:
        return card
    return pressable(card, lambda action: TournamentPress(tournament.id, language, action))


def _meant(word: str) -> str:
    """What is to be done, in English."""
    known = {say(action).lower(): action for action in WHAT} | {
        action: action for action in (*WHAT, "leave")
    }
    meant = known.get(word.lower(), "")
    return "leave" if meant == "withdraw" else meant


def _form(text: str) -> Form:
    for form in Form:
        if text in {form.value, say(form.value).lower(), form.value.replace("-", "")}:
            return form
    raise InvalidRequestError.say(
        '/tournament new takes round-robin or knock-out, not "{text}"', text=text
    )
