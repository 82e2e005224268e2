"""Every error that this project raises on purpose; one sentence each, fit to be shown to a user."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Self

from solver.wording import say, say_later


class FarkleError(Exception):
    """Base of the tree. ``str(error)`` is one sentence: what is wrong and what is accepted."""

    @classmethod
    def say(cls, message: str, /, **parts: Any) -> Self:
        """The error with a sentence, which is given as `solver.wording.say` takes it."""
        return cls(say(message, **parts))


class InvalidRollError(FarkleError):
    """The text or the faces are not a roll of the dice in play."""


class InvalidDiceError(FarkleError):
    """The weights, jokers or number of dice are not those of a set that can be thrown."""


class InvalidPositionError(FarkleError):
    """The scores, turn total, dice or farkles cannot occur under the rules."""


class InvalidRulesError(FarkleError):
    """A rule set is unknown, malformed or contradicts itself."""

    key = ""
    """The option to blame, where one is."""

    def blaming(self, key: str) -> Self:
        """Put it down to an option, and return it."""
        self.key = key
        return self


class InvalidRequestError(FarkleError):
    """A command or an option is unknown or malformed."""


class IllegalActionError(FarkleError):
    """A move that the rules or the state of the game do not allow."""


class ConvergenceError(FarkleError):
    """A solve reached its limit of sweeps before its tolerance."""


class SolveError(FarkleError):
    """A rule set cannot be solved for lack of something, such as memory."""


class ClusterError(SolveError):
    """A cluster cannot be reached, or fails to solve a rule set."""


class StrategyFileError(FarkleError):
    """A strategy file cannot be read or written, or is not what it claims to be."""


class MissingStrategyError(StrategyFileError):
    """No strategy file is there for the rules."""


_SYSTEM_REASONS = {
    say_later("No such file or directory"),
    say_later("Permission denied"),
    say_later("Operation not permitted"),
    say_later("Is a directory"),
    say_later("Not a directory"),
    say_later("File exists"),
    say_later("File name too long"),
    say_later("No space left on device"),
    say_later("Read-only file system"),
}
"""What a system says of files most often."""


def system_reason(error: OSError | ValueError) -> str:
    """Why the system refused something, in its words; translated where they are common."""
    reason = getattr(error, "strerror", None) or str(error)
    return say(reason) if reason in _SYSTEM_REASONS else reason


def did_you_mean(word: str, known: list[str], otherwise: str = "") -> str:
    """The tail of a sentence about an unknown word: near matches if any, else all that is known.

    otherwise : what to say instead of all that is known, where that is too much
    """
    near = get_close_matches(word, known, n=3, cutoff=0.6)
    if not near and len(word) > 2:
        near = [name for name in known if word in name][:3]
    if near:
        return say("; did you mean {words}?", words=one_of(near))
    return otherwise or say("; known are {words}", words=", ".join(known))


def one_of(words: Iterable[str]) -> str:
    """Words, of which there is one at least, with "or" before the last."""
    *others, last = words
    return say("{others} or {last}", others=", ".join(others), last=last) if others else last
