"""Pages of one rule set as files, for a host that only serves files: what needs no program."""

import asyncio
import re
from collections.abc import Iterable
from itertools import combinations_with_replacement
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from aiohttp import ClientSession, ClientTimeout
from yarl import URL

from solver.errors import InvalidRequestError, system_reason
from solver.folders import write_whole
from solver.play.maps import maps_over_scores
from solver.rules.ruleset import Ruleset

_LINK = re.compile(r'<a\b([^>]*?) href="([^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)
_PICTURE = re.compile(r'(src|srcset|href)="(/[^"]*)"')
_NEEDS_PROGRAM = re.compile(
    r"<form\b.*?</form>|<script\b.*?</script>|<noscript>.*?</noscript>|<footer>.*?</footer>",
    re.DOTALL,
)
_LEADS_NOWHERE = re.compile(
    r'<li><span[^>]*>[^<]*</span></li>\n?|<p class="share"><span[^>]*>[^<]*</span></p>'
    r"|\s·\s<span[^>]*>[^<]*</span>"
)
_EMPTY = re.compile(r'<h3>[^<]*</h3>\s*(?:<ul class="steps">\s*</ul>\s*)+')
_MENU = {"/?": "index.html", "/explore?": "explore.html", "/rules?": "rules.html"}
_STATIC = ("style.css", "icon.svg")
_NUMBERS = ("points", "komi")
"""Questions whose answers are files, too."""


def site_pages(rules: Ruleset, name: str) -> dict[str, str]:
    """Return the files of a rule set, with the address that each shows.

    name : what the rules are called in addresses
    """
    asked = urlencode({"rules": name})
    pages = {"index.html": f"/?{asked}", "rules.html": f"/rules/{quote(name, safe='')}"}
    pages |= {f"{question}.html": f"/{question}?{asked}" for question in _NUMBERS}
    pages["explore.html"] = f"/explore?{asked}"
    for look in ("light", "dark"):
        pages[f"turn-{look}.svg"] = f"/explain.svg?{asked}&look={look}"
        for kind in maps_over_scores(rules):
            pages[f"{kind}-{look}.svg"] = f"/map/{kind}.svg?{asked}&look={look}"
    for number in range(1, rules.dice + 1):
        for dice in combinations_with_replacement("123456", number):
            roll = "".join(dice)
            endings = "&endings=yes" if number == rules.dice else ""
            pages[f"roll-{roll}.html"] = f"/?{asked}&dice={roll}{endings}"
    for file in _STATIC:
        pages[file] = f"/static/{file}"
    return pages


async def write_site(
    base: str, language: str, rules: Ruleset, name: str, out: Path, *, in_library: bool = False
) -> int:
    """Write the pages that a server at an address shows; returns how many files there are.

    in_library : whether the folder is one of those that `write_library` leads to

    Raises InvalidRequestError where one of them cannot be made, or written.
    """
    pages = site_pages(rules, name)
    files = _MENU | {_meant(address): file for file, address in pages.items()}
    if in_library:
        files["/rules?"] = "../index.html"
    return await _written(base, language, pages, files, out)


async def write_library(base: str, language: str, names: Iterable[str], out: Path) -> int:
    """Write the page that leads to the sites of rule sets, each in a folder of its name.

    Returns how many files there are, and raises what `write_site` does.
    """
    pages = {"index.html": "/rules", **{file: f"/static/{file}" for file in _STATIC}}
    files = {f"/rules/{quote(name, safe='')}?": f"{name}/rules.html" for name in names}
    files |= {_meant(address): file for file, address in pages.items()}
    return await _written(base, language, pages, files, out)


async def _written(
    base: str, language: str, pages: dict[str, str], files: dict[str, str], out: Path
) -> int:
    """How many pages were written; `files` says where their links lead."""
    try:
        await asyncio.to_thread(out.mkdir, parents=True, exist_ok=True)
        headers, timeout = {"Accept-Language": language}, ClientTimeout()  # as long as it takes
        async with ClientSession(headers=headers, timeout=timeout) as session:
            for file, address in pages.items():
                url = URL(base.rstrip("/") + address, encoded=True)
                async with session.get(url) as response:
                    content = await response.read()
                if response.status != 200:
                    raise InvalidRequestError.say("{page} cannot be made", page=address)
                if file.endswith(".html"):
                    content = _without_program(content.decode(), files).encode()
                await asyncio.to_thread(write_whole, out / file, content)
    except OSError as error:
        raise InvalidRequestError.say(
            "{folder} cannot be written: {reason}", folder=out, reason=system_reason(error)
        ) from None
    return len(pages)


def _without_program(text: str, files: dict[str, str]) -> str:
    """A page whose links are files; what needs the program is left out, or no link."""

    def linked(link: re.Match[str]) -> str:
        before, address, after, said = link.groups()
        if not address.startswith("/"):
            return link[0]
        file = files.get(_meant(address))
        if file is None and "button" in before:
            return ""
        if file is None:
            return f"<span{before}>{said}</span>" if "<svg" not in said else f"<span>{said}</span>"
        return f'<a{before} href="{file}"{after}>{said}</a>'

    def shown(picture: re.Match[str]) -> str:
        return f'{picture[1]}="{files.get(_meant(picture[2]), "index.html")}"'

    text = _LINK.sub(linked, _NEEDS_PROGRAM.sub("", text))
    return _PICTURE.sub(shown, _EMPTY.sub("", _LEADS_NOWHERE.sub("", text)))


def _meant(address: str) -> str:
    """An address as others mean it, too: in the language of the site, dice in their order."""
    parts = urlsplit(address.replace("&amp;", "&"))
    query = {
        name: value for name, value in parse_qsl(parts.query) if name not in {"lang", "endings"}
    }
    if "dice" in query and parts.path == "/":
        query["dice"] = "".join(sorted(query["dice"]))
    return f"{parts.path}?{urlencode(sorted(query.items()))}"
