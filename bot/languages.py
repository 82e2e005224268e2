"""The languages of the chat: English, and those that have a catalogue of translations."""

from functools import cache, lru_cache
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path

from babel import Locale, UnknownLocaleError
from babel.numbers import get_decimal_symbol, get_group_symbol

from solver.wording import ENGLISH, Language

CATALOGUES = Path(__file__).parent / "catalogues"
"""A file of gettext's for each language, named after it: `make messages` brings them up to date."""


class Translated(Language):
    """A language by its catalogue; what that lacks is said in English."""

    def __init__(self, code: str, catalogue: Path) -> None:
        from babel.messages.mofile import write_mo  # noqa: PLC0415 - 5 ms, of English none
        from babel.messages.pofile import read_po  # noqa: PLC0415 - 5 ms, of English none

        locale = Locale.parse(code, sep="-")
        self.code = code
        self.name = str(locale.display_name)
        self.separators = str.maketrans(
            {",": get_group_symbol(locale), ".": get_decimal_symbol(locale)}
        )
        with catalogue.open("rb") as file:
            messages = read_po(file, locale)
        compiled = BytesIO()
        write_mo(compiled, messages)
        compiled.seek(0)
        self._messages = GNUTranslations(compiled)

    def one(self, message: str) -> str:
        """The translation of a sentence."""
        # gettext keeps what describes the catalogue under the empty message
        return self._messages.gettext(message) if message else ""

    def counted(self, single: str, many: str, number: int) -> str:
        """The translation of a sentence for a number of things."""
        return self._messages.ngettext(single, many, number)


def language_codes() -> list[str]:
    """The tags of all languages, English first."""
    return [ENGLISH.code, *sorted(path.stem for path in CATALOGUES.glob("*.po"))]


@cache
def language(code: str) -> Language:
    """A language by its tag, one of `language_codes`."""
    return ENGLISH if code == ENGLISH.code else Translated(code, CATALOGUES / f"{code}.po")


def find_code(locale: str) -> str | None:
    """The tag of the language of a locale such as de-AT or de_AT.UTF-8, None for an unknown one."""
    tag = locale.partition(".")[0].replace("_", "-")
    codes = {Locale.parse(code, sep="-"): code for code in language_codes()}
    try:
        nearest = Locale.negotiate([tag], codes.values(), sep="-")
    except (ValueError, UnknownLocaleError):
        return None
    return codes[nearest] if nearest else None


@lru_cache(maxsize=64)
def best_language(locale: str) -> Language:
    """The language of a locale; English if there is none."""
    return language(find_code(locale) or ENGLISH.code)
