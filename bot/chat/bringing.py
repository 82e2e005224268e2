"""The dice and badges that players bring, as a line names them, or has them taken in turn."""

import random

from bot.chat.commands import YES_OR_NO, Line
from bot.chat.fields import SETS
from bot.services.loaded import NEXT_PLAYER, ORDINARY, LoadedDice, read_kits
from bot.services.situation import Situation, has_sets
from bot.table.commands import MOST_PLAYERS, check_seats
from bot.table.state import Game
from solver.errors import InvalidRequestError
from solver.loaded.kits import Kit
from solver.named.badges import read_badge
from solver.named.drafts import LAID_OUT, dealt, drawn, pairs_of
from solver.named.sets import NamedDie, read_set
from solver.rules.ruleset import Ruleset
from solver.wording import say_later

OWN = SETS[0], SETS[2]
"""What one player brings."""
DRAFTS = say_later("choose"), say_later("deal")
"""How dice are drafted: taken in turn, or dealt."""
_IS_DEALT = {DRAFTS[1]: True, DRAFTS[0]: False}


def brings_dice(line: Line) -> bool:
    """Whether players have dice of their own in a game. Raises InvalidRequestError."""
    return has_sets(line.options) or "draft" in line.options


def kits_of(line: Line, rules: Ruleset, situation: Situation | None = None) -> tuple[Kit, ...]:
    """What a line says that two players bring, or all of a situation. Raises FarkleError."""
    typed = map(line.option, ("my-dice", "their-dice", "my-badge", "their-badge"))
    return read_kits(rules, *typed, situation=situation)


def dice_told(line: Line, rules: Ruleset, situation: Situation | None = None) -> LoadedDice:
    """What a line says that players bring, and of their jokers. Raises FarkleError."""
    joker_alone = line.choice("joker-alone", YES_OR_NO) is True
    return LoadedDice(rules, kits_of(line, rules, situation), joker_alone)


def kits_of_all(line: Line, rules: Ruleset, players: int) -> tuple[Kit, ...]:
    """What all bring who play: so many, or one for each set that is named where these are more.

    Where one set is named for the others, all of them throw it. Raises FarkleError.
    """
    sets = (line.option("their-dice") or ORDINARY).split(NEXT_PLAYER)
    if len(sets) == 1 and players <= 2:
        return kits_of(line, rules)
    if 1 < len(sets) < players - 1:
        raise InvalidRequestError.say(
            "their-dice: names dice for {found} players, but {players} play against you",
            found=len(sets),
            players=players - 1,
        )
    if len(sets) == 1:
        sets *= players - 1
    check_seats(1 + len(sets), MOST_PLAYERS)
    badges = [
        read_badge(text) if (text := line.option(name)) else None
        for name in ("my-badge", "their-badge")
    ]
    mine = Kit(read_set(line.option("my-dice") or ORDINARY, rules.dice), badges[0])
    return (mine, *(Kit(read_set(text, rules.dice), badges[1]) for text in sets))


def own_kit(line: Line, game: Game) -> Kit:
    """What the next one to sit down brings; what is not said is as the game was begun.

    Raises FarkleError.
    """
    usual = game.kits[-1] if game.kits else Kit(read_set(ORDINARY, game.rules.dice))
    dice, badge = line.option("my-dice"), line.option("my-badge")
    return Kit(
        usual.dice if dice is None else read_set(dice, game.rules.dice),
        usual.badge if badge is None else read_badge(badge),
    )


def dice_of_players(
    line: Line, rules: Ruleset, players: int, *, tracked: bool
) -> tuple[tuple[Kit, ...], tuple[NamedDie, ...]]:
    """What players bring, and of what they take their dice in turn. Raises FarkleError."""
    is_dealt = line.choice("draft", _IS_DEALT)
    if is_dealt is None:
        return (kits_of_all(line, rules, players) if has_sets(line.options) else ()), ()
    if tracked or any(one.name in line.options for one in SETS):
        raise InvalidRequestError.say(
            "draft: hands out the dice to both players: name none, and use no real ones"
        )
    chance = random.SystemRandom()
    if is_dealt:
        mine, theirs = dealt(chance, rules.dice)
        return (Kit(mine), Kit(theirs)), ()
    pairs_of(rules.dice)
    return (), drawn(chance, LAID_OUT)
