"""What people say in plain words, such as "what should I keep 6 5 3 3 3 2?", as a command."""

import re
from collections.abc import Collection

OTHER_NAMES = {"hilfe": "help", "?": "help", "exit": "quit", "beenden": "quit", "ende": "quit"}
"""What commands are also called."""

ENDS = ".,;!?"
"""What may follow a command, a number or a choice where it ends a sentence."""
_LEAVES = re.compile(
    r"(@?[^\W\d_][\w.-]{0,29})\s+(?:(?:leaves|(?:has )?left|is leaving|quits?)(?: the game)?"
    r"|(?:is )?gone|(?:is )?out|stops|(?:has|had) to (?:go|leave)|resigns|resigned|gives up|gave up"
    r"|geht|(?:ist )?weg|ist gegangen|ist raus|muss (?:weg|los|gehen)|verlässt das Spiel"
    r"|steigt aus|hört auf|gibt auf)[.!]?",
    re.IGNORECASE,
)
"""How people say that somebody leaves a game."""
_I_LEAVE = re.compile(
    r"(?:I |I'm |I am )(?:leave|quit|resign|give up|out|leaving)(?: the game)?[.!]?"
    r"|ich (?:gehe|bin (?:raus|weg)|steige aus|höre auf|gebe auf|verlasse das Spiel)[.!]?",
    re.IGNORECASE,
)
"""How people say that they leave a game themselves."""
_IN_WORDS = re.compile(r"\b(or|the|of|oder|die|den|von)\b|\?", re.IGNORECASE)

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


def as_command(line: str, names: Collection[str], options: Collection[str]) -> str:
    """Return the command that a line means in plain words, else the line.

    names : those of all commands
    options : as for `_question_of`
    """
    if _I_LEAVE.fullmatch(line):
        return "/leave"
    if left := _LEAVES.fullmatch(line):
        return f"/leave {left[1]}"
    name, _, rest = line.partition(" ")
    is_command = line.startswith("/") or name.rstrip(ENDS).lower() in names
    # "keep the 5 or the 3 3 3" is none of /keep
    if is_command and not (name.lower() == "keep" and _IN_WORDS.search(rest)):
        return line
    question = _question_of(line, options)
    return line if question is None else f"/advise {question}"


def _question_of(line: str, options: Collection[str]) -> str | None:
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
