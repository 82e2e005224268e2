"""A question in plain words, such as "what should I keep 6 5 3 3 3 2?", as the command it means."""

import re
from collections.abc import Collection

OTHER_NAMES = {"hilfe": "help", "?": "help", "exit": "quit", "beenden": "quit", "ende": "quit"}
"""What commands are also called."""

_DIE = "[1-6\u2680-\u2685]"
_ROLL = re.compile(
    rf"(?<![\w,.'/:=-]){_DIE}+(?:(?:\s*[,;-]\s*|\s+(?:and|und)\s+|\s+){_DIE}+)*(?![\w:=]|[.,']\d)"
)
_ASKS = re.compile(
    r"\?|\b(what|which|should|or|the|rolled|threw|got|have"
    r"|was|welche\w*|soll\w*|oder|behalt\w*|gewürfelt|geworfen|habe)\b",
    re.IGNORECASE,
)
_ENOUGH = 3
"""Dice that are a roll, whatever words are around them."""
_NO_DIE = re.compile(r"\d{2}|[07-9]|\d\s*[x×*]|[x×*]\s*\d")


def question_of(line: str, options: Collection[str]) -> str | None:
    """What follows /advise where a line asks what to keep of a roll; None where it does not.

    options : what may be told of the position behind the dice, as in "them 5000"
    """
    roll = max(_ROLL.finditer(line), key=_dice, default=None)
    begins_so = line[:1] in "0123456789"  # and is what /advise takes, unless words ask
    if not roll or not (_ASKS.search(line) or (_dice(roll) >= _ENOUGH and not begins_so)):
        return None
    names = "|".join(sorted(map(re.escape, options), key=len, reverse=True))
    given = re.compile(rf"\b(?:{names})(?:\s*[:=]\s*\S+|\s+\d[\d.,']*)", re.IGNORECASE)
    behind = line[roll.end() :]
    others = line[: roll.start()] + given.sub("", behind)
    if _NO_DIE.search(others):  # a number of which nobody knows what it is
        return None
    dice = " ".join(re.findall(_DIE, roll[0]))
    return " ".join([dice, *(found[0].rstrip(",.?!") for found in given.finditer(behind))])


def _dice(roll: re.Match[str]) -> int:
    return len(re.findall(_DIE, roll[0]))
