"""Dice chosen by presses that come close together."""

import asyncio

import pytest

from bot.chat.presses import TablePress
from bot.chat.pressing import Choices


def die(number: int, mask: int = 0, version: int = 1, game: str = "ab") -> TablePress:
    return TablePress(game, version, mask, "en", f"die{number}")


async def chosen(choices: Choices, button: TablePress, seconds: float = 0.0) -> int:
    """Choose dice by a press that looks something up, and takes so long to be answered."""
    async with choices.turn(button):
        await asyncio.sleep(0)
        mask = choices.choose(button)
        await asyncio.sleep(seconds)
        return mask


async def kept(choices: Choices, button: TablePress) -> int:
    """Keep what was chosen before."""
    async with choices.turn(button):
        await asyncio.sleep(0)
        return choices.chosen(button)


async def test_presses_that_did_not_see_each_other_add_up() -> None:
    choices = Choices()
    presses = [chosen(choices, die(number), 0.01) for number in (0, 2, 5)]
    assert await asyncio.gather(*presses) == [0b1, 0b101, 0b100101]
    # the same press twice is one choice, and one that is seen is taken back
    assert await chosen(choices, die(5)) == 0b100101
    assert await chosen(choices, die(0, mask=0b100101)) == 0b100100


async def test_several_dice_by_one_press() -> None:
    choices = Choices()
    pick = TablePress("ab", 1, 0b1, "en", "pick56")
    assert await chosen(choices, die(0)) == 0b1
    assert await chosen(choices, pick) == 0b111000
    assert await chosen(choices, die(0)) == 0b111001


@pytest.mark.parametrize("action", ["die10", "die1a", "pick", "pick12345", "pickup", "roll"])
def test_other_buttons_choose_nothing(action: str) -> None:
    button = TablePress("ab", 1, 0b1, "en", action)
    assert not button.chooses
    assert button.chosen(0b101) == 0b101


async def test_what_is_kept_has_the_dice_that_its_button_did_not_see() -> None:
    choices, order = Choices(), []

    async def press(number: int) -> None:
        # the first takes longest to find its table
        async with choices.turn(die(number)):
            await asyncio.sleep(0.02 if number == 0 else 0)
            choices.choose(die(number))
            await asyncio.sleep(0.02)
            order.append(number)

    presses = [asyncio.create_task(press(number)) for number in (0, 1)]
    await asyncio.sleep(0)
    keep = TablePress("ab", 1, 0b1, "en", "roll")
    assert await kept(choices, keep) == 0b11
    assert order == [0, 1], "what shows the dice comes before what is made of them"
    await asyncio.gather(*presses)
    # nothing is known of other tables, nor of what the game has left behind
    assert await kept(choices, TablePress("cd", 1, 0b100, "en", "roll")) == 0b100
    assert await kept(choices, TablePress("ab", 2, 0, "en", "roll")) == 0


async def test_other_tables_and_versions_are_others() -> None:
    choices = Choices()
    assert await chosen(choices, die(0)) == 1
    assert await chosen(choices, die(1, game="cd")) == 2
    assert await chosen(choices, die(2, mask=8, version=2)) == 12


async def test_answers_go_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    # an answer that takes longer than what is remembered
    monkeypatch.setattr("bot.chat.pressing._SECONDS", 0.01)
    choices, order = Choices(), []
    answered = asyncio.Event()

    async def press(number: int) -> None:
        async with choices.turn(die(number)):
            mask = choices.choose(die(number))
            await answered.wait()
            order.append(mask)

    first = asyncio.create_task(press(0))
    await asyncio.sleep(0.03)
    second = asyncio.create_task(press(1))
    await asyncio.sleep(0)
    answered.set()
    await asyncio.gather(first, second)
    assert order == [0b1, 0b11]


async def test_one_that_hangs_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.chat.pressing._PATIENCE", 0.05)
    choices = Choices()
    hanging = asyncio.create_task(chosen(choices, die(0), 600))
    await asyncio.sleep(0)
    assert await asyncio.wait_for(chosen(choices, die(1)), 50) == 0b11
    hanging.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hanging
    assert await asyncio.wait_for(chosen(choices, die(2)), 50) == 0b111
