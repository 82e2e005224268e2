"""A thread for each game, where the place wants that, and what if the bot may begin none."""

from pathlib import Path

from tests.bot.fronts.discord.loopback import Loopback, Message, user
from tests.bot.fronts.discord.play import choose, is_choice, press, shown
from tests.bot.fronts.discord.process import running
from tests.bot.waiting import until

ANN, BOB = user("11", "Ann") | {"permissions": 1 << 4}, user("12", "Bob_*x*")


async def begun(discord: Loopback) -> Message:
    told = await shown(await discord.slash(ANN, "settings", threads="yes", mentions="yes"))
    assert "Every game gets a thread, on Discord." in told.text
    return await shown(await discord.slash(ANN, "play", player2=BOB, rules="kcd"))


async def turn(discord: Loopback, table: Message) -> None:
    """Roll, keep what is worth most and bank it, or roll on where that cannot be."""
    while "Ann is to roll" in table.text or "Ann chooses" in table.text or "Ann:" in table.text:
        action = "bank" if table.action("bank") else "roll"
        if is_choice(table):
            action = await choose(discord, ANN, table)
        await press(discord, ANN, table, action)


async def test_a_game_with_a_thread(folder: Path, discord: Loopback) -> None:
    async with running(folder, discord) as bot:
        table = await begun(discord)
        await until(lambda: table.id in discord.threads)
        assert discord.names[table.id] == "Ann – Bob_*x*"
        in_channel = len(discord.public())
        await turn(discord, table)
        await until(lambda: bool(discord.public(table.id)))
        [told] = discord.public(table.id)
        assert told.text.split("\n")[-1].startswith("<@12>, it is your turn in game")
        assert told.text.startswith("Ann ")
        assert len(discord.public()) == in_channel, "the channel sees the table and nothing else"
        # what is typed in the thread is about the game of its channel, and answered there
        early = await shown(await discord.slash(ANN, "roll", channel=table.id))
        assert early.ephemeral
        assert early.text == "It is Bob\\_\\*x\\*'s turn, not yours."
        await shown(await discord.slash(BOB, "resign", sure="yes", channel=table.id))
        board = await shown(await discord.slash(ANN, "leaderboard"))
        assert "Ann" in board.text
        assert len(discord.threads) == 1
        assert await bot.end() == 0, bot.log


async def test_without_the_permission_the_channel_has_it_all(
    folder: Path, discord: Loopback
) -> None:
    discord.unthreaded.add("500")
    async with running(folder, discord) as bot:
        told = await shown(await discord.slash(ANN, "settings", threads="yes", mentions="yes"))
        asked = await discord.slash(ANN, "play", player2=BOB, rules="kcd")
        await until(lambda: bool(asked.private))
        assert asked.private[0].text.startswith("The game stays in this channel: to give it a ")
        table = asked.original
        assert table is not None
        assert not table.ephemeral
        await turn(discord, table)
        await until(lambda: "it is your turn" in discord.public()[-1].text)
        assert discord.public()[-1].text.count("\n") == 0, "no story of the turn in the channel"
        assert told.id
        assert discord.threads == {}
        assert await bot.end() == 0, bot.log
