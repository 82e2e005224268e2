"""Text as nobody should have to read it, and what may be shown of it."""

import re
import unicodedata

from hypothesis import strategies as st

ACTED_ON = [
    "<t:0:R>", "<t:1618953630>", "<#500>", "<@11>", "<@!11>", "<@&400>", "</play:123>", "<:e:77>",
    "<a:e:77>", "<id:customize>", "<id:browse>", "<https://evil.example>", "<sound:0:1>",
    "@everyone", "@here", "https://evil.example/x", "http://a.b", "discord.gg/abc",
    "https://discord.com/invite/abc", "discordapp.com/invite/abc", "Discord.GG/abc",
    "[free](https://evil.example)", "[a](b) [c](d)", "**bold**", "`code`", "```", "> quote",
    "# head", "||spoiler||", "~~gone~~",
]  # fmt: skip
HIDDEN = [
    "\u202e", "\u2066", "\u2069", "\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u034f",
    "\u061c", "\u115f", "\u3164", "\uffa0", "\u2800", "\ufe0f", "\U000e0041", "\U000e0100",
    "\u180b", "\x1b[31m", "\x1b]0;title\x07", "\x9b31m", "\x07", "\r", "\x00", "\u2028", "\x85",
    "\ud800", "\udfff", "\ue000", "\ufffe", "e" + "\u0301" * 40, "\u0489" * 9,
    "z" + "\u0335\u200d" * 12, "\u1fef\u1fef\u1fef",
]  # fmt: skip

ODD = st.lists(
    st.sampled_from([*ACTED_ON, *HIDDEN, "ann", "bob", "5", "1 2 3", "{name}", "%s", "-", ":"])
    | st.text(max_size=6)
    | st.characters(categories=("Cs", "Cf", "Cc", "Mn", "Co")),
    min_size=1,
    max_size=6,
).map("".join)
"""What people may type to annoy others."""

_NEVER_SEEN = re.compile(
    # the default ignorable characters of Unicode 15.1 and what shows as a blank
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff\u2800\ud800-\udfff]"
)
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_PILED = 3

_DISCORD_ACTS = re.compile(
    r"<(?:[@#:/]|t:|a:|id:|sound:|https?)|@(?:everyone|here)|https?://|discord(?:app)?\.(?:gg|com)/",
    re.IGNORECASE,
)
_MASKED_LINK = re.compile(r"(?<!\\)\[[^\]\n]*\]\(")
_CODE = re.compile("```.*?```", re.DOTALL)
_OF_OURS = re.compile("(?<=[@<:d])\u200b|(?<=discordapp)\u200b", re.IGNORECASE)
"""The blank of no width by which the program itself breaks up what Discord would act on."""


def hidden_in(text: str) -> list[str]:
    """What a text has that nobody sees, that moves a cursor, or that is piled up."""
    found = _NEVER_SEEN.findall(text) + _CONTROL.findall(text)
    run = 0
    for letter in text:
        run = run + 1 if unicodedata.category(letter) in {"Mn", "Me"} else 0
        if run == _PILED:
            found.append(letter)
    return found


def acted_on_in(message: str) -> list[str]:
    """What Discord would make of a message that nobody meant, and what is hidden in it."""
    plain = _OF_OURS.sub("", message)
    return [
        *_DISCORD_ACTS.findall(message),
        *_MASKED_LINK.findall(_CODE.sub("", message)),
        *hidden_in(plain),
    ]
