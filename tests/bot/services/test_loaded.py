"""Questions about loaded dice, of a game short enough to be solved at once."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.chat.cards import answer_card
from bot.features.kingdom.service import (
    ChoiceQuestion,
    KcdQuestion,
    choice_answer,
    kcd_answer,
)
from bot.features.kingdom.view import (
    choice_data,
    choice_text,
    kcd_data,
    kcd_sheet,
    kcd_text,
)
from bot.languages import language
from bot.layout import percent
from bot.services.loaded import (
    BadgePlan,
    LoadedDice,
    MatchupFolders,
    read_left,
    seconds_of,
    solved,
)
from bot.services.rule_options import with_goal
from bot.services.situation import Situation
from bot.views.advice import advice_text, odds_text
from bot.views.answer_data import advice_sheet, answer_data
from bot.views.named_dice import plan_lines
from bot.views.sheet import sheet_of
from solver.errors import FarkleError, InvalidDiceError, InvalidRequestError
from solver.loaded.kits import Kit
from solver.loaded.matchup import Matchup
from solver.named.badges import NamedBadge, read_badge
from solver.named.sets import read_dice, read_set
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.turn.points import points_outcome
from solver.wording import said_in
from tests.bot.services.own_dice import advised, weighed
from tests.loaded_dice import kcd

RULES = with_goal(load_rules("kcd"), 600, named=False)
SHORT = with_goal(load_rules("kcd"), 300, named=False)
MINE, ORDINARY = read_set("odd*4,devil*2"), read_set("ordinary*6")


def dice_of(
    rules: Ruleset, mine: NamedBadge | None = None, theirs: NamedBadge | None = None
) -> LoadedDice:
    return LoadedDice(rules, (Kit(MINE, mine), Kit(ORDINARY, theirs)))


DICE = dice_of(RULES)


@pytest.fixture
def folders(tmp_path: Path, kernels: Path) -> MatchupFolders:
    return MatchupFolders(tmp_path / "matchups", kernels, 2**24)


def test_exchanging_the_sets_exchanges_the_answer(folders: MatchupFolders) -> None:
    answer = kcd_answer(folders, KcdQuestion(DICE))
    other = kcd_answer(folders, KcdQuestion(DICE.exchanged, begins=False))
    assert answer.win == pytest.approx(1 - other.win, abs=1e-12)
    assert answer.win_second == pytest.approx(1 - other.win_beginning, abs=1e-12)
    assert 0.3 < answer.win_second < 0.5 < answer.win < 0.9, "who begins a short game has much"
    assert answer.mine == other.theirs
    assert len(list(folders.matchups.glob("*.solved"))) == 1, "both orders are one file"
    outcome = points_outcome(RULES, 0)
    assert answer.theirs.farkle_probability == pytest.approx(outcome.farkled.sum())
    assert answer.theirs.first_farkle_probability == pytest.approx(1440 / 46656)
    assert answer.theirs.points == pytest.approx(564.4376204138507)
    text = kcd_text(answer)
    assert "kcd rules to 600, you begin." in text
    assert "odd*4,devil*2" in text
    assert "Jokers:" in text
    assert kcd_data(answer)["win_probability"] == answer.win
    assert kcd_sheet(answer).rows[0][:2] == ("me", answer.win)


def test_a_solved_pair_is_quick_and_a_damaged_one_is_solved_anew(folders: MatchupFolders) -> None:
    before = kcd_answer(folders, KcdQuestion(DICE))
    assert seconds_of(folders, DICE.matchup) < 1
    [path] = folders.matchups.glob("*.solved")
    path.write_bytes(path.read_bytes()[:-9])
    assert kcd_answer(folders, KcdQuestion(DICE)).win == before.win


def test_badges_change_the_answer(folders: MatchupFolders) -> None:
    plain = kcd_answer(folders, KcdQuestion(DICE))
    mine = dice_of(RULES, read_badge("carpenter:200"), None)
    ahead = dice_of(RULES, None, read_badge("headstart:200"))
    with_mine, with_theirs = (kcd_answer(folders, KcdQuestion(one)) for one in (mine, ahead))
    assert (with_mine.mine.points or 0) > (plain.mine.points or 0)
    assert with_mine.theirs == plain.theirs == with_theirs.theirs
    assert with_mine.win > plain.win > with_theirs.win
    assert "Your badge carpenter:200, theirs none." in kcd_text(with_mine)
    first = kcd_answer(folders, KcdQuestion(dice_of(RULES, read_badge("headstart:200"), None)))
    for answer in (with_mine, first):
        assert answer.badge is not None
        assert answer.win - plain.win == pytest.approx(answer.badge.worth, abs=1e-12)
        text = kcd_text(answer)
        assert f"worth {100 * answer.badge.worth:.2f} percentage points.\nIn the first" in text
        assert kcd_data(answer)["badge"]["kind"] is None
    assert with_theirs.badge is None
    assert plan_lines(BadgePlan(None, -1e-14)) == ["Your badge is worth 0.00 percentage points."]
    far = dice_of(RULES, read_badge("headstart:600"), None)
    with pytest.raises(FarkleError, match="below the goal of 600, not 600"):
        kcd_answer(folders, KcdQuestion(far))


def test_advice_names_the_dice_to_keep(folders: MatchupFolders) -> None:
    text = "5 5 3 2 odd, J 5 devil"
    found = advised(folders, DICE, text, Situation())
    options = found.options
    assert options[0].win_probability == found.win_probability
    data = answer_data(found)
    kept = [one["set_aside"] for one in data["options"]]
    assert len(set(kept)) == len(kept)
    assert "5 odd" in kept
    assert "5 devil" in kept, "which of the 5s to keep is a choice"
    assert (data["roll"], data["my_dice"]) == ("5 5 3 2 odd, 5 J", "odd*4,devil*2")
    said = advice_text(found)
    assert "Your dice odd*4,devil*2, theirs ordinary*6." in said
    assert f"keep {kept[0]} " in said
    assert advice_sheet(found).rows[0][0] == kept[0]
    odds = weighed(folders, DICE, None, Situation(banked=100))
    assert odds.bank is None
    assert "farkle chance" in odds_text(odds)
    after = weighed(folders, DICE, "odd,devil", Situation(turn_total=300))
    assert after.bank is not None
    assert "odd,devil to roll" in odds_text(after).replace("devil,odd", "odd,devil")


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    ("badge", "said"),
    [
        ("gold-warlord", "your badge is used best when you bank:"),
        ("tin-warlord@start", "before the first roll of the game."),
        ("tin-resurrection", "after a farkle with these dice, at turn"),
        ("tin-might", "with these dice to roll, at turn"),
        ("tin-doppelganger", "On the first roll of the game, using it is best"),
        ("gold-transmutation", "On the first roll of the game, using it is best"),
    ],
)
@pytest.mark.parametrize("code", ["en", "de"])
def test_when_to_use_a_badge(badge: str, said: str, code: str, folders: MatchupFolders) -> None:
    held = read_badge(badge), read_badge("defence") if code == "de" else None
    dice = dice_of(SHORT, *held)
    answer = kcd_answer(folders, KcdQuestion(dice))
    plain = kcd_answer(folders, KcdQuestion(dice_of(SHORT)))
    if code == "de":
        assert answer.badge is None
        assert answer.win == pytest.approx(plain.win, abs=1e-12)
        text = said_in(language(code), lambda: kcd_text(answer))
        assert "von Anfang an nicht" in text
        return
    assert answer.badge is not None
    assert answer.win - plain.win == pytest.approx(answer.badge.worth, abs=1e-11)
    assert answer.badge.worth > 0
    assert said in kcd_text(answer).replace("\n  ", " ")
    assert kcd_data(answer)["badge"]["worth"] == answer.badge.worth
    name, *more = badge.split("@")
    spent = read_badge("@".join([f"{name}:0", *more]))
    used = dice_of(SHORT, spent, None)
    assert kcd_answer(folders, KcdQuestion(used)).win == pytest.approx(plain.win, abs=1e-12)


def test_advice_on_a_badge(folders: MatchupFolders) -> None:
    def dice(badge: str) -> LoadedDice:
        return dice_of(SHORT, read_badge(badge), None)

    farkle = advised(folders, dice("tin-resurrection"), "2 4 odd", Situation(turn_total=250))
    assert farkle.farkle
    assert farkle.best == farkle.uses[0].win_probability > farkle.win_probability
    assert "roll again" in advice_text(farkle)
    assert answer_data(farkle)["badge_uses"][0]["kind"] == "resurrection"
    assert f"win probability is now {percent(farkle.best)}." in advice_text(farkle)
    worse = replace(farkle.uses[0], win_probability=farkle.win_probability / 2)
    kept_badge = replace(farkle, uses=(worse,))
    for which, choice in [(farkle, "roll again"), (kept_badge, "keep your badge")]:
        first, second = (row for row in advice_text(which).splitlines() if "%  " in row)
        assert (first.split("  ")[1], first.split()[-1]) == (choice, "best")
        assert second.split()[-1].startswith("-")
        choices = [row for row in answer_card(which).text.splitlines() if row[1:2] == "\\"]
        assert f"**{choice}**" in choices[0]
        assert len(choices) == 2

    turned = advised(folders, dice("gold-transmutation"), "3 3 1 1 odd, J 5 devil", Situation())
    text = advice_text(turned)
    assert "turn 3 to 1" in text
    [best] = [one for one in turned.uses if one.win_probability == turned.best][:1]
    assert best.win_probability == pytest.approx(1), "four 1s and a joker win"

    twice = advised(folders, dice("tin-doppelganger"), "5 3 2 4 odd, 5 3 devil", Situation())
    assert "twice the points" in advice_text(twice)
    bank = advised(folders, dice("gold-warlord"), "5 2 odd", Situation(turn_total=200))
    [kept] = bank.options
    assert kept.with_badge
    assert kept.win_probability == pytest.approx(1), "twice 250 is more than the goal"
    assert "win with the badge" in advice_text(bank)
    assert answer_data(bank)["options"][0]["with_badge"] is True

    odds = weighed(folders, dice("gold-warlord"), "odd", Situation(turn_total=250))
    assert odds.use is not None
    assert odds.win_probability == pytest.approx(1)
    assert odds.bank is not None
    assert odds.bank < 1
    assert "Use your badge: bank with the badge 100.00 %" in odds_text(odds)
    barred = replace(odds, bank=None)
    text = odds_text(barred)
    assert text.index("bank with the badge") < text.index("hot dice must be rolled again")
    german = said_in(language("de"), lambda: odds_text(barred))
    assert german.index("Abzeichen sichern") < german.index("Würfeln musst du weiterwürfeln")
    keep = weighed(folders, dice("tin-resurrection"), "odd", Situation(turn_total=250))
    assert "after a farkle, roll again" in odds_text(keep)
    assert answer_data(keep)["badge_use"]["kind"] == "resurrection"


def test_a_score_that_a_badge_left_uneven(folders: MatchupFolders) -> None:
    for badge, taken in [("tin-warlord:0", True), ("tin-warlord", False), ("tin-might:0", False)]:
        dice = dice_of(SHORT, read_badge(badge), None)
        even = weighed(folders, dice, None, Situation(banked=50))
        if taken:
            found = weighed(folders, dice, None, Situation(banked=62))
            assert found.win_probability == even.win_probability
            continue
        with pytest.raises(FarkleError, match="your score cannot be 62"):
            weighed(folders, dice, None, Situation(banked=62))


def test_uses_multiply_what_a_solve_takes() -> None:
    def seconds(*texts: str | None) -> float:
        mine, theirs = (read_badge(text) if text else None for text in texts)
        rules = with_goal(load_rules("kcd"), 4000, named=False)
        dice = dice_of(rules, mine, theirs)
        return dice.matchup.seconds

    plain = seconds(None, None)
    assert seconds("tin-warlord", None) > 1.5 * plain
    assert seconds("gold-might", "gold-might") > 16 * plain
    assert seconds("gold-fortune", None) > seconds("gold-transmutation", None)
    assert seconds("gold-fortune", "defence") == plain


def test_refusals(folders: MatchupFolders) -> None:
    for situation, left, sentence in [
        (Situation(turn_total=300), None, "say which dice are left to roll at a turn total of 300"),
        (Situation(turn_total=300), "2", "which 2 dice of odd\\*4,devil\\*2 are left to roll?"),
        (Situation(turn_total=300), "lucky", '"lucky" are not among the dice of odd'),
        (Situation(turn_total=300), "devil*3", '"devil\\*3" are not among the dice'),
        (Situation(turn_total=310), "devil", "the turn total cannot be 310"),
        (Situation(banked=30), None, "your score cannot be 30"),
    ]:
        with pytest.raises(FarkleError, match=sentence):
            weighed(folders, DICE, left, situation)
    with pytest.raises(InvalidRequestError, match="not among"):
        read_left(MINE, "9")
    assert read_left(MINE, "6") == MINE.dice_set.whole
    wins = kcd(instant_win=("xxxxxx",))
    with pytest.raises(FarkleError, match="for in instant_win; use dice without jokers$"):
        dice_of(wins).matchup  # noqa: B018 - it is made here
    with pytest.raises(FarkleError, match="in instant_win; use a badge without jokers$"):
        LoadedDice(wins, (Kit(ORDINARY, read_badge("tin-joker")), Kit(ORDINARY))).matchup  # noqa: B018
    jokers = kcd(scoring={"jokers": ("6",)})
    with pytest.raises(FarkleError, match=r"nobody says what a joker counts for in scoring\.jok"):
        dice_of(jokers).matchup  # noqa: B018 - it is made here
    with pytest.raises(FarkleError, match=r"a badge that .* does not go with scoring\.jokers yet"):
        LoadedDice(jokers, (Kit(ORDINARY, read_badge("emperor")), Kit(ORDINARY))).matchup  # noqa: B018
    with pytest.raises(FarkleError, match="cannot be ranked by their points yet"):
        ChoiceQuestion(dice_of(wins), ()).check()


@pytest.mark.parametrize(
    "changes",
    [{"instant_win": ("xxxxxx",)}, {"farkle_keeps_turn_total": True}, {"hot_dice_bonus": (0, 50)}],
)
def test_who_wins_is_answered_where_sets_are_not_ranked(
    changes: dict[str, Any], folders: MatchupFolders
) -> None:
    rules = kcd(goal=300, **changes)
    dice = LoadedDice(rules, (Kit(read_set("odd*6")), Kit(ORDINARY)))
    answer = kcd_answer(folders, KcdQuestion(dice))
    assert 0.5 < answer.win < 1
    text = kcd_text(answer)
    assert "-: points of a turn without a goal are not worked out" in text
    assert ("before the first hot dice" in text) == ("hot_dice_bonus" in changes)
    assert kcd_data(answer)["mine"]["points"] is None


def test_when_to_bank_is_told_by_stretches_where_one_rolls_again_above(
    folders: MatchupFolders,
) -> None:
    sets = read_set("odd*4,lucky*2"), read_set("ordinary*6")
    for goal_must_be, stretches in [
        ("reached", "from 850 on, not at"),
        ("exact", "only at 900 to "),
    ]:
        rules = kcd(goal=2000, goal_must_be=goal_must_be)
        answer = kcd_answer(folders, KcdQuestion(LoadedDice(rules, tuple(map(Kit, sets)))))
        text = kcd_text(answer)
        assert (
            "In the first turn, bank at these turn totals, by dice left to roll, the most"
            " frequent first:" in " ".join(text.split())
        )
        [row] = [line for line in text.splitlines() if line.startswith("  lucky,odd ")]
        assert stretches in row
    assert kcd_data(answer)["bank_from"][0]["roll_again"] == ()


def test_the_best_set_of_owned_dice(folders: MatchupFolders) -> None:
    question = ChoiceQuestion(DICE, tuple(read_dice("odd,misfortune")), solves=2)
    answer = choice_answer(folders, question)
    assert [one.dice.text for one in answer.choices[:1]] == ["ordinary*5,odd"]
    assert len(answer.choices) == 4
    wins = [one.win for one in answer.choices]
    assert wins[0] is not None
    assert wins[1] is not None
    assert wins[0] > wins[1]
    assert wins[2:] == [None, None]
    direct = kcd_answer(
        folders, KcdQuestion(LoadedDice(RULES, (Kit(answer.choices[0].dice), Kit(ORDINARY))))
    )
    assert wins[0] == direct.win
    assert "4 sets of 6 dice" in choice_text(answer)
    assert len(choice_data(answer)["choices"]) == len(sheet_of(choice_data(answer)).rows) == 4


def test_too_many_sets_are_refused() -> None:
    owned = tuple(read_dice(",".join(f"{k}:1:1:1:1:1*6" for k in range(2, 30))))
    with pytest.raises(InvalidDiceError, match="sets can be taken from these dice"):
        ChoiceQuestion(DICE, owned).check()


def test_what_has_no_room_pushes_nothing_out(folders: MatchupFolders) -> None:
    sets = [read_set(text, 6).dice_set for text in ("lucky*6", "odd*6", "weighted*6")]
    matchup = Matchup(SHORT, tuple(sets))
    small = replace(folders, most_bytes=matchup.bytes)
    folders.matchups.mkdir()
    other = folders.matchups / "other_dice2.solved"
    other.write_bytes(bytes(100))
    assert solved(small, matchup).arrays[0].shape == matchup.size.shape
    assert list(folders.matchups.glob("*.solved")) == [other]
