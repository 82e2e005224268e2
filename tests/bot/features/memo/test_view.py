"""The page of a table to memorise: who reads it and plays by it plays as the policy does."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.chat.commands import Reply
from bot.features.memo.service import MemoAnswer, known_memo
from bot.features.memo.view import memo_card, memo_picture, memo_text, thumb_text
from bot.languages import language, language_codes
from bot.layout import PHONE, text_width
from bot.services.advisor import Advisor
from bot.views.drawing import Form, picture_form
from solver.errors import FarkleError
from solver.game.position import Position, reachable
from solver.play.memo import GoForIt, Memo, MemoGoForIt, Thumb
from solver.play.memo_study import MemoStudy, Worth
from solver.play.policy import Move
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Fate, Roll, dice_set, fate
from solver.turn.equations import EqualDice
from solver.turn.memo import memo_table
from solver.wording import said_in
from tests import naive
from tests.bot.pictures import pixels
from tests.conftest import SOLVED, rarely, variant
from tests.house_rules import small

RULES = [
    load_rules("classic"),
    load_rules("facebook"),
    load_rules("kcd"),
    load_rules("dice-10000"),
    variant("classic", name="a high minimum", minimum_bank=1000),
    variant("classic", name="bonus", goal=2000, hot_dice_bonus=(300, 50), hot_dice="no_bank"),
    variant("classic", name="all aside", goal=2000, set_aside_all=True),
]
WORTH = Worth(as_first=0.5, as_second=0.4, points=400.0, farkles=0.2)
NUMBER = re.compile(r"\d{1,3}(?:,\d{3})*")


def study(rules: Ruleset, go_for_it: GoForIt) -> MemoStudy:
    return MemoStudy(
        rules=rules.name,
        digest=rules.digest,
        unit=memo_table(rules).unit,
        memo=WORTH,
        go_for_it=go_for_it,
        memo_go_for_it=WORTH,
        thumb=Thumb("points for dice", (2, 3), (250, 400), 150, 3),
        rule_of_thumb=WORTH,
        optimal=0.53,
        most_points=446.57,
    )


def page(rules: Ruleset, go_for_it: GoForIt | None = None) -> str:
    found = study(rules, go_for_it) if go_for_it else None
    return memo_text(MemoAnswer(memo_table(rules), None, found))


def numbers(text: str) -> int:
    return int(text.replace(",", ""))


class Reader:
    """Somebody who has nothing but the printed page, and the rules of the game."""

    def __init__(self, rules: Ruleset, text: str) -> None:
        self.rules = rules
        lines = text.splitlines()
        self.gains: dict[int, list[tuple[int, int | None]]] = {}
        head = next(k for k, line in enumerate(lines) if line.split()[:1] == ["worth"])
        ends = {match.end(): int(match[1]) for match in re.finditer(r"(\d) dic?e", lines[head])}
        for line in lines[head + 1 :]:
            if not line.startswith("  "):
                break
            label = line.split()[0]
            gain = (
                None
                if label == "BANK"
                else numbers(label)
                if label[0] != "-"
                else -numbers(label[1:])
            )
            for match in NUMBER.finditer(line, line.index(label) + len(label)):
                end = min(end for end in ends if end >= match.end())
                self.gains.setdefault(ends[end], []).append((numbers(match[0]), gain))
        self.go: dict[int, tuple[float, float]] = {}
        heads = [k for k, line in enumerate(lines) if line.split()[:2] == ["dice", "left"]]
        for line in lines[heads[0] + 1 :] if heads else []:
            row = re.fullmatch(r"  (?:(\d) to )?(\d) dic?e +(any score|\S+) +(any score|\S+)", line)
            if row is None:
                break
            own, other = (
                float("inf") if word == "never" else -1e9 if word == "any score" else numbers(word)
                for word in row.groups()[2:]
            )
            for dice in range(int(row[1] or row[2]), int(row[2]) + 1):
                self.go[dice] = own, other

    def choose(self, position: Position, roll: naive.Dice) -> tuple[int, int, bool]:
        """Turn total and dice left after what is set aside, and whether it is banked."""
        rules, found = self.rules, []
        for kept, points in naive.set_asides(rules, roll, first=not position.turn_total):
            left = position.dice - len(kept)
            hot = min(position.hot_dice, naive.levels(rules) - 1)
            total, left, _ = naive.advance(
                rules, position.turn_total, hot, (points, left or rules.dice)
            )
            may = rules.may_bank(total, position.banked, on_board=position.on_board)
            may &= naive.may_leave(rules, left)
            wins = may and position.banked + total >= rules.winning_score
            gain = max(
                (row for row in self.gains[left] if row[0] <= total), key=lambda row: row[0]
            )[1]
            stops = may and (gain is None or gain < 0)
            own, other = self.go.get(left, (float("inf"), float("inf")))
            goes = position.banked >= own or position.opponent >= other
            rank = (wins, 0, False, 0) if wins else (wins, total + (gain or 0), stops, left)
            found.append((rank, total, (total, left, wins or (stops and not goes))))
        return max(found)[-1]


@st.composite
def moments(draw: st.DrawFn, rules: Ruleset) -> tuple[Position, naive.Dice]:
    step, goal = rules.point_step, rules.winning_score
    scores = st.integers(0, goal // step - 1).map(lambda k: k * step)
    states = [
        tuple(map(int, state))
        for state in zip(*reachable(rules)[:, : 4000 // step].nonzero(), strict=True)
    ]
    level, row, dice = draw(st.sampled_from(states))
    banked = draw(scores)
    position = Position.of_two(
        banked=banked,
        opponent=draw(scores),
        turn_total=row * step,
        dice=dice + 1,
        hot_dice=level,
        on_board=banked > 0 or not rules.has_opening,
    )
    rolls = [
        roll for roll, _ in dice_set(rules).rolls(dice + 1) if fate(rules, roll) is Fate.SCORES
    ]
    return position, tuple(sorted(draw(st.sampled_from(rolls))))


@pytest.mark.mostly_slow
@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
@settings(max_examples=60)
@given(data=st.data())
def test_who_reads_the_page_plays_as_the_policy(rules: Ruleset, data: st.DataObject) -> None:
    reader = Reader(rules, page(rules))
    position, roll = data.draw(moments(rules))
    check(reader, Memo().choose(EqualDice(rules), position, fallen(roll)), position, roll)


@settings(max_examples=80)
@given(data=st.data())
def test_who_reads_when_to_go_for_it_plays_as_the_policy(data: st.DataObject) -> None:
    rules = load_rules("facebook")
    scores = st.one_of(st.none(), st.integers(0, 199).map(lambda k: 50 * k))
    each = st.tuples(*[scores] * 6)
    go_for_it = GoForIt(data.draw(each), data.draw(each))
    reader = Reader(rules, page(rules, go_for_it))
    position, roll = data.draw(moments(rules))
    move = MemoGoForIt(go_for_it).choose(EqualDice(rules), position, fallen(roll))
    check(reader, move, position, roll)


def fallen(roll: naive.Dice) -> Roll:
    return tuple(sorted(roll, reverse=True))


def check(reader: Reader, move: Move, position: Position, roll: naive.Dice) -> None:
    rules = reader.rules
    total, left, bank = reader.choose(position, roll)
    legal = naive.set_asides(rules, roll, first=not position.turn_total)
    points = dict(legal)[tuple(sorted(move.set_aside))]
    hot = min(position.hot_dice, naive.levels(rules) - 1)
    rest = position.dice - len(move.set_aside) or rules.dice
    then = naive.advance(rules, position.turn_total, hot, (points, rest))
    assert (then[0], then[1], move.bank) == (total, left, bank)


@pytest.mark.slow
def test_the_page_is_a_picture_in_three_forms() -> None:
    rules = load_rules("classic")
    never = GoForIt((None,) * 6, (None,) * 6)
    begins: dict[Form, bytes] = {"png": b"\x89PNG\r\n\x1a\n", "pdf": b"%PDF-", "svg": b"<?xml"}
    whole = study(rules, GoForIt((9500,) * 6, (8000,) * 6))
    pages: list[tuple[MemoStudy | None, list[Form]]] = [
        (None, ["svg"]),
        (study(rules, never), ["pdf"]),
        (whole, ["png", "pdf", "svg"]),
    ]
    for found, forms in pages:
        answer = MemoAnswer(memo_table(rules), None, found)
        drawn = {form: memo_picture(answer, form) for form in forms}
        assert all(picture.startswith(begins[form]) for form, picture in drawn.items())
    assert memo_picture(answer) == drawn["png"]
    assert b"/Title (A table to memorise: classic rules)" in drawn["pdf"]
    with pytest.raises(FarkleError, match=r"ends in .png, .svg or .pdf, not in '.jpg'"):
        picture_form(Path("memo.jpg"))
    with pytest.raises(FarkleError, match="there is no folder nowhere"):
        picture_form(Path("nowhere/memo.png"))


@pytest.mark.slow
@pytest.mark.parametrize("code", language_codes())
@pytest.mark.parametrize("name", rarely(["zilch", "kcd"], "kcd"))
def test_nothing_on_the_page_is_cut_off(name: str, code: str) -> None:
    """Its margins are white; also where the words of a language are long."""
    rules = load_rules(name)
    answer = MemoAnswer(memo_table(rules), None, study(rules, GoForIt((9500,) * 6, (None,) * 6)))
    for found in (answer, replace(answer, study=None)):
        image = pixels(said_in(language(code), memo_picture, found))
        for edge in (image[:60], image[-60:], image[:, :60], image[:, -60:]):
            assert (edge == 255).all()


@pytest.mark.parametrize("code", language_codes())
def test_its_message_is_for_a_phone(code: str) -> None:
    """The table can be read in it, and how to use it is behind a button."""
    for name in SOLVED:
        rules = load_rules(name)
        found = study(rules, GoForIt((None,) * rules.dice, (None,) * rules.dice))
        reply = Reply(
            MemoAnswer(memo_table(rules), None, found, picture=b"page"),
            memo_text,
            make_card=memo_card,
        )
        card = said_in(language(code), reply.card)
        [block] = re.findall(r"```text\n(.*?)\n```", card.text, flags=re.DOTALL)
        assert max(map(text_width, block.splitlines())) <= PHONE
        assert [one.action for one in card.buttons] == ["memo"]


def test_rules_of_thumb_in_words() -> None:
    rules = load_rules("classic")
    told = thumb_text(Thumb("points for dice", (2, 3), (250, 400), 150, 3), rules)
    assert "counting 150 for each die left to roll beyond 3 dice" in told
    assert told.endswith(
        "Bank from 250 with 1 to 2 dice left and from 400 with 3 dice left, and whenever that wins."
        " With more dice left, roll on."
    )
    told = thumb_text(Thumb("most points", (1, 2, 6), (250, 300, 500)), rules)
    assert told == (
        "Set aside what scores most. Bank from 250 with 1 die left, from 300 with 2 dice left"
        " and from 500 with 3 to 6 dice left, and whenever that wins."
    )
    told = thumb_text(Thumb("most points", (2, 3, 6), (500, 500, 600)), rules)
    assert "Bank from 500 with 1 to 3 dice left and from 600 with 4 to 6 dice left," in told


def test_rules_of_thumb_bank_with_the_dice_with_which_that_is_allowed() -> None:
    few = load_rules("classic").model_copy(update={"bank_dice_left": 2})
    told = thumb_text(
        Thumb("most points", (2, 6), (250, 500)), few.model_copy(update={"hot_dice": "optional"})
    )
    assert told.endswith(
        "Bank from 250 with 1 to 2 dice left and from 500 with 6 dice left, and whenever that wins."
        " With any other number of dice left, roll on."
    )
    told = thumb_text(
        Thumb("most points", (1, 2), (250, 500)), few.model_copy(update={"hot_dice": "forced"})
    )
    assert told.endswith(
        "Bank from 250 with 1 die left and from 500 with 2 dice left, and whenever that wins."
        " With more dice left, roll on."
    )


def test_the_worked_roll_banks_nothing_that_has_to_be_confirmed(tmp_path: Path) -> None:
    pair = {"dice": "36", "points": 600, "then": "roll_on"}
    scoring = {"single": [100, 50, 0, 0, 50, 0], "combination": [pair]}
    rules = small(dice=4, goal=3000, scoring=scoring)
    example = known_memo(Advisor(tmp_path), rules, 50).example
    assert example
    [best] = [one for one in example.choices if one.set_aside == (6, 5, 3)]
    assert not best.bank


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"take_over": "banked"}, "a turn depends on the one before it"),
        ({"beat_previous_turn": True}, "a turn depends on the one before it"),
        ({"rounds": 3, "ties": "shared", "goal": None}, "games of a number of rounds"),
    ],
)
def test_what_is_not_worked_out_is_not_promised(
    more: dict[str, object], why: str, tmp_path: Path
) -> None:
    data = {"name": "x", "goal": 1000, "dice": 4} | more
    rules = Ruleset.model_validate({key: value for key, value in data.items() if value is not None})
    told = " ".join(memo_text(known_memo(Advisor(tmp_path), rules)).split())
    assert "The table leaves out" in told
    assert "how often all this wins are not told. x: this is not worked out" in told
    assert why in told
    assert "farkle memo" not in told
