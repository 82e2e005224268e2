"""A turn explained, and a position among all, as people read them and as plain data."""

from collections.abc import Iterable
from typing import Any

from bot.features.pictures.service import Explanation, Exploration, Field, Step
from bot.layout import columns, cost_in_words, dice_count, percent, plain_markdown, wrap
from bot.services.loaded import NEXT_PLAYER, LoadedDice
from bot.services.situation import all_on_board
from bot.views.advice import advice_head, odds_text, position_text, reachable_text, reason_text
from bot.views.answer_data import answer_data, bare_data, position_data
from bot.views.card import Attachment, Button, Card, Menu
from bot.views.game import NOT_EXACT, hint_data, hint_text
from bot.views.thresholds import bank_from_data, bank_from_text
from solver.game.position import Position, least_hot_dice, most_likely
from solver.play.advice import Advice, Odds, Option
from solver.rules.ruleset import Ruleset
from solver.turn.dice import dice_text
from solver.turn.equations import Decision
from solver.turn.memory import typed_set
from solver.wording import figure, say, say_later

_LABELS = {
    Field.OWN: say_later("You {amount}"),
    Field.OPPONENT: say_later("Them {amount}"),
    Field.TURN: say_later("Turn {amount}"),
    Field.DICE: say_later("Dice {amount}"),
    Field.HOT_DICE: say_later("Hot dice {amount}"),
    Field.FARKLES: say_later("Your farkles {amount}"),
    Field.THEIR_FARKLES: say_later("Their farkles {amount}"),
    Field.ON_BOARD: say_later("You on or off the board"),
    Field.THEY_ON_BOARD: say_later("Them on or off the board"),
    Field.BEGAN: say_later("The other began"),
    Field.SIDES: say_later("Change sides"),
}

_NO_WAYS = say_later("There are no steps from here: /explore cannot say all that matters here.")

_FIELDS = {
    Field.OWN: say_later("Your score"),
    Field.OPPONENT: say_later("Their score"),
    Field.TURN: say_later("Turn total"),
    Field.DICE: say_later("Dice"),
    Field.HOT_DICE: say_later("Hot dice"),
    Field.FARKLES: say_later("Your farkles"),
    Field.THEIR_FARKLES: say_later("Their farkles"),
}
"""What is changed by more and less."""


def exploration_text(walk: Exploration, game: str = "") -> str:
    """The position with what there is to know of it, and a command for each step from it.

    game : the options that said which game it is, as they were typed
    """
    ways = [(step, step.position) for step in walk.steps if step.position]
    if not ways:
        steps = [wrap(say(_NO_WAYS))]
    elif walk.odds.brought:
        steps = _steps_of_own(walk, walk.odds.brought, ways)
    else:
        rows = [
            (step_label(walk, step), explore_line(walk.odds.rules, position, game))
            for step, position in ways
        ]
        steps = [say("Steps from here:"), *columns(rows)]
    exact = [] if walk.exact else [wrap(say(NOT_EXACT))]
    return "\n".join([position_view(walk), *steps, *exact])


def _steps_of_own(
    walk: Exploration, dice: LoadedDice, ways: Iterable[tuple[Step, Position]]
) -> list[str]:
    """What a command says of each step where players bring their dice."""
    base, rows, whole = _own_base(dice), [], []
    for step, position in ways:
        label, after = step_label(walk, step), walk.dice_after(step)
        if after and step.field is Field.SIDES:
            whole.append(wrap(f"{label}: {_own_line(after, position)}"))
        else:
            rows.append((label, _own_options(dice, position)))
    head = wrap(say("Steps from here, each typed after {command}:", command=base))
    return [head, *columns(rows), *whole]


def position_view(walk: Exploration) -> str:
    """The position with what there is to know of it."""
    border = bank_from_text(walk.bank_from, walk.odds.rules.point_step, walk.named)
    return f"{odds_text(walk.odds)}\n{border}"


def exploration_data(walk: Exploration, game: str = "") -> dict[str, Any]:
    """A walk through positions as plain data."""
    steps = []
    for step in walk.steps:
        if (position := step.position) is None:
            continue
        data = position_data(walk.odds.rules, position)
        dice = walk.dice_after(step)
        if dice:
            where = data if len(position.players) == 2 else data["turn"]
            where["dice"] = dice.mine.left(position.dice).text
        line = _own_line(dice, position) if dice else explore_line(walk.odds.rules, position, game)
        what = {"changes": step.field.value, "amount": step.amount}
        steps.append({"action": step.action, **what, "position": data, "command": line})
    border = bank_from_data(walk.bank_from, walk.named)
    return {**bare_data(walk.odds), "bank_from": border, "steps": steps}


def exploration_card(walk: Exploration, changes: Field = Field.OWN) -> Card:
    """A walk as a message: a row of steps, and a list of what else they may change.

    changes : what the steps change; one that leads nowhere is disabled
    """
    buttons = [
        Button(step.action, step_label(walk, step), enabled=step.position is not None)
        for step in walk.steps
        if step.field in {changes, Field.SIDES}
    ]
    others = {
        step.field.value: say(_FIELDS[step.field]) if step.amount else step_label(walk, step)
        for step in walk.steps
        if step.position and step.field not in {changes, Field.SIDES}
    }
    menu = Menu(
        "change",
        say("Change: {what}", what=say(_FIELDS[changes])),
        tuple((value, called, "") for value, called in others.items()),
    )
    text = plain_markdown(position_view(walk))
    return Card(text, buttons=tuple(buttons), menu=menu if others else None)


def step_label(walk: Exploration, step: Step) -> str:
    """What a step changes, in as few letters as can be."""
    if step.field is Field.SIDES and len(walk.odds.position.players) > 2:
        return say("Next player")
    # with the sign that is as wide as a plus
    amount = figure(step.amount, "+,").replace("-", "\N{MINUS SIGN}")
    return say(_LABELS[step.field], amount=amount)


def explore_line(rules: Ruleset, position: Position, game: str = "") -> str:
    """The command that shows a position; what is left out would be taken to be so anyway."""
    least = least_hot_dice(rules, position.turn_total, position.dice)
    parts = _options(rules, position, str(position.dice), least)
    return " ".join(["/explore", *parts, *([game] if game else [])])


def _own_line(dice: LoadedDice, position: Position) -> str:
    """The command that shows a position of dice of one's own."""
    return f"{_own_base(dice)} {_own_options(dice, position)}"


def _own_base(dice: LoadedDice) -> str:
    """The command with the dice of all and whatever else no step changes."""
    theirs = NEXT_PLAYER.join(other.text for other in dice.others)
    parts = [f"my-dice:{dice.mine.text}", f"their-dice:{theirs}"]
    for name, badge in zip(("my-badge", "their-badge"), dice.badges, strict=False):
        parts += [f"{name}:{badge.text}"] if badge else []
    parts += ["joker-alone:yes"] if dice.joker_alone else []
    return " ".join(["/explore", *parts, f"rules:{dice.rules.name}", f"goal:{dice.rules.goal}"])


def _own_options(dice: LoadedDice, position: Position) -> str:
    left = dice.mine.left(position.dice).text
    # whoever asks is taken to have begun
    return " ".join(_options(dice.rules, position, left, 0, says_who_began=False))


def _options(
    rules: Ruleset, position: Position, dice: str, least: int, *, says_who_began: bool = True
) -> list[str]:
    """A position as a command has it, with what is left to roll.

    least : the hot dice that are taken to be there if none are told
    """
    others = [position.players[k] for k in position.in_order[1:]]
    parts = [f"me:{position.banked}", f"them:{','.join(str(other.score) for other in others)}"]
    if position.turn_total:
        parts += [f"turn:{position.turn_total}", f"dice:{dice}"]
        if position.hot_dice != least and rules.hot_dice_counted > 1:
            parts.append(f"hot-dice:{position.hot_dice}")
        likely, held = most_likely(rules, position.turn), position.turn.held_set
        parts += [f"held-set:{typed_set(held) or 0}"] * (held != likely.held_set)
        if (need := position.turn.to_confirm) != likely.to_confirm:
            points = rules.confirm_points and need
            to_confirm = f"to-confirm:{_yes_or_no(bool(need))}"
            parts.append(f"points-to-confirm:{need}" if points else to_confirm)
        if rules.throws:
            parts.append(f"throws:{position.turn.throws}")
    parts += [f"rounds:{position.rounds_left}"] * bool(rules.rounds)
    tells_order = rules.has_roles or rules.rounds > 0
    parts += [f"before:{position.mover}"] * (tells_order and len(others) > 1 and position.mover > 0)
    parts += [f"to-beat:{position.to_beat}"] * bool(position.to_beat)
    if position.farkles:
        parts.append(f"farkles:{position.farkles}")
    if position.opponent_farkles:
        parts.append(f"their-farkles:{position.opponent_farkles}")
    if rules.has_opening and position.on_board != (position.banked > 0):
        parts.append(f"on-board:{_yes_or_no(position.on_board)}")
    if rules.has_opening and all_on_board(others):
        parts.append("their-on-board:yes")
    if rules.has_roles and len(others) == 1 and says_who_began:
        parts.append(f"began:{'me' if position.began else 'them'}")
    return parts


def _yes_or_no(answer: bool) -> str:
    return "yes" if answer else "no"


_KEEP = {
    Decision.ROLL: say_later("keep {dice} and roll {left}"),
    Decision.BANK: say_later("keep {dice} and bank {total:,}"),
    Decision.WIN: say_later("keep {dice} and bank {total:,}, which wins"),
    Decision.LOST: say_later("keep {dice}, which is too little to bank"),
}


def explanation_text(explanation: Explanation) -> str:
    """Return what is best now, and the border of the turn."""
    if explanation.named:
        lines = [*_seen_by(explanation), hint_text(explanation.hint)]
    else:
        lines = [wrap(_sentences(explanation))]
    return "\n".join([*lines, _border(explanation)])


def explanation_card(explanation: Explanation) -> Card:
    """Return the explanation as a message, with the picture if there is one."""
    text = plain_markdown(explanation_text(explanation))
    if explanation.picture is None:
        return Card(text)
    shown = say(
        "A map of the turn: turn totals upwards, dice to roll across, and a line between rolling"
        " and banking"
    )
    return Card(text, (Attachment("turn.png", explanation.picture, shown),))


def explanation_data(explanation: Explanation) -> dict[str, Any]:
    """Return the explanation as plain data."""
    hint, border = explanation.hint, bank_from_data(explanation.turn.bank_from, explanation.named)
    if explanation.named or hint.odds is None:
        return {**hint_data(hint), "bank_from": border}
    advice = answer_data(hint.advice) if hint.advice else None
    return {**answer_data(hint.odds), "bank_from": border, "advice": advice, "exact": hint.exact}


def _seen_by(explanation: Explanation) -> list[str]:
    """Who sees it so, where that is not who asks."""
    return [say("As {name} sees it:", name=explanation.seen_by)] if explanation.seen_by else []


def _border(explanation: Explanation) -> str:
    turn = explanation.turn
    border = bank_from_text(turn.bank_from, turn.rules.point_step, explanation.named)
    if not explanation.has_badge:
        return border
    return wrap(say("This counts your badge wherever using it is better.")) + "\n" + border


def _sentences(explanation: Explanation) -> str:
    """The position and the best choice, where the dice are those of the rules."""
    rules, answer = explanation.turn.rules, explanation.hint.advice or explanation.hint.odds
    if answer is None:
        return ""
    if isinstance(answer, Advice):
        where, best = advice_head(answer), _best_set_aside(answer)
    else:
        position = position_text(rules, answer.position)
        where = say("{position}, {rules} rules", position=position, rules=rules.name)
        best = _best_choice(answer)
    lines = [*_seen_by(explanation), where, best]
    lines += filter(None, [reason_text(answer), reachable_text(answer)])
    if not explanation.hint.exact:
        lines.append(say(NOT_EXACT))
    return "\n".join(lines)


def _best_choice(odds: Odds) -> str:
    """Roll or bank, and by how much that is better."""
    bank, rolls = odds.bank, odds.bank is None or odds.action is Decision.ROLL
    sentence = say_later("Now bank {total:,}: {chance}; rolling {dice} costs {less}.")
    if rolls:
        sentence = say_later("Now roll {dice}: {chance}; banking {total:,} costs {less}.")
    if bank is None:
        sentence, bank = say_later("Now roll {dice}: {chance}; banking is not allowed."), odds.roll
    return say(
        sentence,
        dice=dice_count(odds.position.dice),
        chance=percent(odds.roll if rolls else bank, odds.within),
        total=odds.position.turn_total,
        less=cost_in_words(abs(odds.roll - bank), odds.within),
    )


def _best_set_aside(advice: Advice) -> str:
    """The best set-aside of a roll, and by how much it is better than the next."""
    best, *others = advice.options
    chance = percent(best.win_probability, advice.within)
    first = say("Now {choice}: {chance}.", choice=_kept(best), chance=chance)
    if not others:
        return first
    less = cost_in_words(best.win_probability - others[0].win_probability, advice.within)
    second = say_later("The next best, {choice}, costs {less}.")
    return f"{first} {say(second, choice=_kept(others[0]), less=less)}"


def _kept(option: Option) -> str:
    kept, left = dice_text(option.set_aside), dice_count(option.dice_left)
    return say(_KEEP[option.action], dice=kept, left=left, total=option.turn_total)
