"""What the README and the documents show is what the program says, and their links lead somewhere.

To write transcripts anew after a change that is meant, and then read what git says has changed:

    FARKLE_WRITE_PLAYTHROUGHS=1 python -m pytest tests/test_readme.py
"""

import ast
import asyncio
import csv
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from bot.chat.commands import take_apart
from bot.cli.main import farkle
from bot.fronts.discord.settings import DiscordSettings
from bot.fronts.web.settings import WebSettings
from bot.services import tables
from bot.settings import Settings
from solver.game.solvable import unsolvable
from solver.rules.file import load_rules, preset_names, read_rules
from solver.rules.options import RuleOption
from solver.rules.ruleset import OPTIONS, FarklePenalty, Ruleset, Scoring
from solver.turn.endless import endless_turn
from tests.bot.known_dice import fixed_secrets
from tests.bot.speaking import Chat, open_chat
from tests.bot.test_playthroughs import WRITES
from tests.usual import USUAL

CHECKOUT = Path(__file__).parents[1]
DOCS = CHECKOUT / "docs"
SHOWN = [CHECKOUT / "README.md", *sorted(DOCS.glob("*.md"))]
TOLD = [*SHOWN, *(CHECKOUT / one for one in ("CONTRIBUTING.md", "SECURITY.md", "tests/README.md"))]
LINKED = [*TOLD, CHECKOUT / "CHANGELOG.md"]
BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^ *```$", flags=re.DOTALL | re.MULTILINE)


def name(document: Path) -> str:
    return str(document.relative_to(CHECKOUT))


def blocks(document: Path, kind: str) -> list[str]:
    """The blocks of a document that are marked as text, toml, ..."""
    return [text for _, found, text in BLOCK.findall(document.read_text("utf-8")) if found == kind]


def prose(document: Path) -> str:
    """A document without its blocks."""
    return BLOCK.sub("", document.read_text("utf-8"))


def code(document: Path) -> Iterator[str]:
    """What a document shows as code: in backticks, and in lines that are set in."""
    text = prose(document)
    yield from re.findall(r"``? ?(.+?) ?``?(?!`)", " ".join(text.split()))
    yield from re.findall(r"^ {4,}(\S.*)$", text, flags=re.MULTILINE)


def commands(document: Path, program: str) -> Iterator[list[str]]:
    """The words behind each call of a program that a document shows."""
    call = re.compile(rf"(?:^|\| )(?:[A-Z_]+=\S+ )*(?:\.venv/bin/)?{program} +(.+)")
    for line in code(document):
        if found := call.search(re.sub(r"\s{2,}.*|\s#.*", "", line)):
            yield shlex.split(found[1])


# Transcripts


def transcripts() -> list[tuple[Path, str]]:
    """Every block of text with lines after "> ", and what is answered below them."""
    return [
        (document, block)
        for document in SHOWN
        for block in blocks(document, "text")
        if block.startswith("> ")
    ]


def first_line(value: object) -> str | None:
    return value.partition("\n")[0][2:] if isinstance(value, str) else name(Path(str(value)))


def played(block: str, data: Path, folder: Path) -> str:
    """The block again, as the program answers its lines one after the other."""
    lines = re.findall(r"^> (.*)$", block, flags=re.MULTILINE)
    return "".join(
        f"> {line}\n{said}\n" for line, said in asyncio.run(_played(lines, data, folder))
    )


async def _played(lines: list[str], data: Path, folder: Path) -> list[tuple[str, str]]:
    async with open_chat(folder, data / "strategies") as chat:
        return [(line, await _said(line, chat)) for line in lines]


async def _said(line: str, chat: Chat) -> str:
    if not line.startswith("farkle "):
        return await chat.say(line)
    result = CliRunner().invoke(farkle, shlex.split(line)[1:], prog_name="farkle")
    assert result.exit_code == 0, result.output
    return result.output.rstrip()


@pytest.mark.parametrize(("document", "block"), transcripts(), ids=first_line)
def test_documents_show_what_the_program_says(
    document: Path, block: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "secrets", fixed_secrets(document.stem))
    monkeypatch.setenv("FARKLE_DATA", str(data))
    (tmp_path / "kernels").symlink_to(data / "kernels")
    found = played(block, data, tmp_path)
    if WRITES:
        document.write_text(document.read_text("utf-8").replace(block, found), "utf-8")
    assert WRITES or found == block


def test_a_transcript_of_every_kind_is_found() -> None:
    shown = [block for _, block in transcripts()]
    for line in ("> /advise ", "> /play ", "> /score ", "> farkle "):
        assert any(line in block for block in shown), line


def figures() -> list[tuple[str, list[str]]]:
    """The rows of tables that end in a command, and the numbers beside it."""
    rows = re.findall(r"^\|(.*)\| `(farkle [^`]+)` \|$", prose(DOCS / "numbers.md"), re.MULTILINE)
    return [(command, re.findall(r"(?<![\w`.])\d[\d,.]*", cells)) for cells, command in rows]


@pytest.mark.parametrize(("command", "numbers"), figures())
def test_figures_are_those_of_the_command_beside_them(
    command: str, numbers: list[str], data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FARKLE_DATA", str(data))
    result = CliRunner().invoke(farkle, shlex.split(command)[1:])
    assert result.exit_code == 0, result.output
    assert numbers
    for number in numbers:
        assert re.search(rf"(?<![\d,.]){re.escape(number)}(?![\d])", result.output), number


# Programs, commands and options


@pytest.mark.parametrize("document", TOLD, ids=name)
def test_documents_name_targets_of_make(document: Path) -> None:
    makefile = (CHECKOUT / "Makefile").read_text("utf-8")
    for words in commands(document, "make"):
        for target in words:
            if target[0] != "-" and "=" not in target:
                assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target


@pytest.mark.parametrize("document", TOLD, ids=name)
def test_documents_name_commands_and_options_of_the_program(document: Path) -> None:
    for words in commands(document, "farkle"):
        command: click.Command = farkle
        context = click.Context(command)
        while (
            isinstance(command, click.Group)
            and words
            and words[0] in command.list_commands(context)
        ):
            found = command.get_command(context, words.pop(0))
            assert found is not None
            command = found
        if isinstance(command, click.Group) and words and not words[0].startswith("-"):
            assert command is not farkle, words
            # what comes without a command of the group is what its default one takes
            assert words[0] in preset_names() or words[0].isupper() or words[0].endswith(".toml")
        known = {
            option
            for one in command.get_params(context)
            for option in (*one.opts, *one.secondary_opts)
        }
        for word in words:
            assert not word.startswith("--") or word.split("=")[0] in known, (words, word)


async def test_documents_name_commands_and_options_of_the_chat(chat: Chat) -> None:
    for document in TOLD:
        for line in code(document):
            if found := re.match(r"(?:\w+: )?/([a-z-]+)(?: (.*?))?(?:\s{2,}.*)?$", line):
                assert found[1] in chat.commands.by_name, (name(document), line)
                take_apart(chat.commands.by_name[found[1]], found[2] or "")


def subcommands(group: click.Group, *before: str) -> Iterator[str]:
    """Every command of the command line with what stands before it."""
    context = click.Context(group)
    for one in group.list_commands(context):
        command = group.get_command(context, one)
        yield " ".join((*before, one))
        if isinstance(command, click.Group):
            yield from subcommands(command, *before, one)


def test_every_command_is_explained(tmp_path: Path, data: Path) -> None:
    async def names() -> list[str]:
        async with open_chat(tmp_path, data / "strategies") as chat:
            return list(chat.commands.by_name)

    rows = [line for line in prose(DOCS / "commands.md").splitlines() if line.startswith("| `/")]
    told = set(re.findall(r"`/([\w-]+)", "\n".join(rows)))
    assert told == set(asyncio.run(names()))
    calls = [" ".join(words) for words in commands(DOCS / "commands.md", "farkle")]
    for command in subcommands(farkle):
        assert any(f"{call} ".startswith(f"{command} ") for call in calls), command


def test_every_variable_is_explained_with_its_default() -> None:
    known = {f"{Settings.prefix}{key}".upper(): one for key, one in Settings.model_fields.items()}
    for kind in (DiscordSettings, WebSettings):
        known |= {f"{kind.prefix}{key}".upper(): one for key, one in kind.model_fields.items()}
    told = {}
    for row in prose(DOCS / "hosting.md").splitlines():
        for variable in re.findall(r"`((?:FARKLE|DISCORD)_[A-Z_]+)`", row.split(" | ")[0]):
            told[variable] = row.strip("| ").split(" | ")[-1].strip("`")
    assert set(told) == set(known)
    for variable, field in known.items():
        if isinstance(field.default, int | float | str):
            assert told[variable] == str(field.default).removesuffix(".0"), variable


def test_every_key_of_rules_is_explained() -> None:
    known = {*Ruleset.model_fields, *Scoring.model_fields, *FarklePenalty.model_fields}
    # the table that the other keys are in, and the keys of the penalty, which its row tells
    known -= {"scoring", "in_a_row", "points", "then", "when"}
    cells = re.findall(r"^\| (`[^|]+) \|", prose(DOCS / "rules.md"), flags=re.MULTILINE)
    told = set(re.findall(r"`([\w-]+)`", "\n".join(cells)))
    assert told == known | set(USUAL)


def variants() -> dict[str, dict[str, str]]:
    """The table of the rule sets by name: what stands in each column."""
    whole = prose(DOCS / "variants.md").partition("## By name")[2].partition("\n## ")[0]
    lines = re.findall(r"^\| (.+) \|$", whole, re.MULTILINE)
    head, *rows = (line.split(" | ") for line in lines)
    return {row[0].strip("`"): dict(zip(head, row, strict=True)) for row in rows}


def figures_of(compared: str) -> dict[str, dict[str, str]]:
    """The columns of the table that hold figures of games, as `farkle compare --csv` says them."""
    return {
        row["rules"]: {
            "first wins": f"{100 * float(row['first_player']):.2f} %",
            "turns": f"{float(row['turns']):.1f}",
            "careless loses": f"{100 * float(row['careless_loses']):.1f}",
        }
        for row in csv.DictReader(io.StringIO(compared))
    }


def test_every_rule_set_of_the_program_is_in_the_table_of_variants() -> None:
    """The file FARKLE_LIBRARY, what `farkle compare --all --csv` printed, is written there."""
    page, told = DOCS / "variants.md", variants()
    if WRITES and "FARKLE_LIBRARY" in os.environ:
        found = figures_of(Path(os.environ["FARKLE_LIBRARY"]).read_text("utf-8"))
        rows = [
            {key: row[key] for key in row if key != "from"} | found[name] | {"from": row["from"]}
            for name, row in told.items()
        ]
        lines = [f"| {' | '.join(one)} |" for one in (rows[0], *(row.values() for row in rows))]
        lines.insert(1, "|" + "---|" * len(rows[0]))
        before, head, rest = page.read_text("utf-8").partition("| name | in a line |")
        assert head
        page.write_text(before + "\n".join(lines) + rest[rest.index("\n\n") :], "utf-8")
        told = variants()
    assert [*told] == preset_names()
    for name, row in told.items():
        address = re.match(r"[\w.]+\.(com|org|net|mobi|casino|co\.uk)\b\S*", row["from"])
        if name not in USUAL and address:
            assert address[0].rstrip(",") in load_rules(name).source


@pytest.mark.slow
def test_the_table_of_variants_says_what_turns_for_most_points_bring() -> None:
    for name, row in variants().items():
        turn = endless_turn(load_rules(name))
        assert row["points"] == f"{turn.points:,.1f}", name
        assert row["farkle"] == f"{100 * turn.farkle_probability:.1f} %", name


@pytest.mark.slow
def test_the_table_of_variants_says_what_is_found(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["pig", "two-dice-pig", "ruby-koans", "bupkis"]
    monkeypatch.setenv("FARKLE_DATA", str(tmp_path))
    (tmp_path / "kernels").symlink_to(data / "kernels")
    # what the table has of these small games is exact, however few are played
    result = CliRunner().invoke(farkle, ["compare", *names, "--csv", "--games", "100"])
    assert result.exit_code == 0, result.output
    told = variants()
    for name, found in figures_of(result.stdout).items():
        assert {column: told[name].get(column, figure) for column, figure in found.items()} == found


def test_the_table_of_all_that_was_read_counts_right() -> None:
    """Every file that it names is there and can be read; every file of the tests is named."""
    text = (DOCS / "variants.md").read_text("utf-8")
    read, _, short = text.partition("## All that was read")[2].partition("cannot be said whole")
    rows = re.findall(r"^\| (?!rule set|---)(.+) \| (.+) \| ?(.*)\|$", read, re.MULTILINE)
    missing = re.findall(
        r"^\| (?!rule set|---)(.+) \|(.*)\|$", short.partition("\n## ")[0], re.MULTILINE
    )
    assert len({name for name, *_ in rows}) == len(rows)
    for name, file, _ in rows:
        files = re.findall(r"\((\S+\.toml)\)", file)
        assert files or file.strip("`") in preset_names(), name
    linked = re.findall(r"\[([\w-]+|[\w ,]+)\]\((\S+\.toml)\)", text)
    said = CHECKOUT / "tests" / "solver" / "rules" / "said"
    assert {(DOCS / file).resolve() for _, file in linked} == set(said.glob("*.toml"))
    for file in said.glob("*.toml"):
        assert not unsolvable(read_rules(file)), file.stem
    open_ends = sum(bool(what) for *_, what in rows)
    counted = (
        f"Of the {len(rows) + len(missing)} rule sets that were read, {len(rows)} can be said"
        f" whole: {len(rows) - open_ends} with all their prices, and {open_ends} of which"
    )
    assert counted in text
    assert f"These {len(missing)} cannot be said whole" in text
    assert len(rows) * 60 >= 55 * (len(rows) + len(missing))


def definitions() -> dict[str, str]:
    """What the docstring below each field of the rules says to those who write rules."""
    found = {}
    for module in ("ruleset", "scoring"):
        tree = ast.parse((CHECKOUT / f"solver/rules/{module}.py").read_text("utf-8"))
        for one in (node for node in tree.body if isinstance(node, ast.ClassDef)):
            for node, below in pairwise(one.body):
                if isinstance(node, ast.AnnAssign) and isinstance(below, ast.Expr):
                    text = ast.literal_eval(below.value).partition("\n\n")[0]
                    found[ast.unparse(node.target)] = " ".join(text.split())
    return found


def row_of(option: RuleOption, definition: str) -> str:
    """The row of an option in the tables of docs/rules.md."""
    definition, _, left_out = definition.partition(" If left out: ")
    text = re.sub(r'"\w+"|(?<!\w)\[.+?\]', lambda code: f"`{code[0]}`", definition.rstrip("."))
    default = option.default
    if isinstance(default, bool | int | str | tuple) and default != ():
        value = list(default) if isinstance(default, tuple) else default
        left_out = left_out or f"`{json.dumps(value)}`"
    elif default in (None, ()):
        left_out = left_out or "none"
    return f"| `{option.key}` | {text[0].lower()}{text[1:]} | {left_out.rstrip('.')} |".replace(
        "|  |", "| |"
    )


def test_every_option_has_its_row() -> None:
    """In the order of the fields; a new one comes behind the one before it."""
    page, told = DOCS / "rules.md", definitions()
    lines = page.read_text("utf-8").splitlines()
    before = -1
    for option in (one for one in OPTIONS.values() if one.example):
        row = row_of(option, told[option.key])
        begin = f"| `{option.key}` |"
        before = next((k for k, line in enumerate(lines) if line.startswith(begin)), before + 1)
        lines[before : before + lines[before].startswith(begin)] = [row]
    found = "\n".join(lines) + "\n"
    if WRITES:
        page.write_text(found, "utf-8")
    assert WRITES or found == page.read_text("utf-8")


@pytest.mark.parametrize("document", SHOWN, ids=name)
def test_rules_in_documents_are_rules(document: Path, tmp_path: Path) -> None:
    file = tmp_path / "shown.toml"
    for block in blocks(document, "toml"):
        file.write_text(block, "utf-8")
        assert load_rules(str(file)).goal == tomllib.loads(block)["goal"]


def test_the_shell_lines_make_the_dice_of_the_example() -> None:
    for program in ("openssl", "od", "awk", "xxd", "sha256sum"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not there")
    [lines] = blocks(DOCS / "fair-dice.md", "sh")
    done = subprocess.run(["/bin/sh", "-c", lines], capture_output=True, text=True, check=True)
    vectors = json.loads((CHECKOUT / "tests/bot/table/fair_dice_vectors.json").read_text("utf-8"))
    [vector] = [one for one in vectors if one["title"] == "two players"]
    [roll] = [one for one in vector["rolls"] if one["number"] == 1]
    assert done.stdout.split()[:7] == [*map(str, roll["dice"]), vector["commitment"]]


# Links and size


def anchors(document: Path) -> set[str]:
    """The names that GitHub gives to the headings of a document."""
    headings = re.findall(r"^#+ (.+)$", prose(document), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings}


def links(document: Path) -> Iterator[tuple[Path, str]]:
    """The files that a document links or shows, each with the anchor in it."""
    text = prose(document)
    for link in [*re.findall(r"\]\(([^)\s]+)\)", text), *re.findall(r'src="([^"]+)"', text)]:
        if not link.startswith(("https://", "http://")):
            path, _, anchor = link.partition("#")
            yield (document.parent / path).resolve() if path else document, anchor


@pytest.mark.parametrize("document", LINKED, ids=name)
def test_links_lead_somewhere(document: Path) -> None:
    for target, anchor in links(document):
        assert target.exists(), target
        assert not anchor or anchor in anchors(target), (target, anchor)


@pytest.mark.parametrize("document", SHOWN, ids=name)
def test_what_documents_link_is_in_the_source_distribution(document: Path) -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    for target, _ in [(document, ""), *links(document)]:
        path = f"/{name(target)}"
        assert any(path == one or path.startswith(f"{one}/") for one in included), path


def test_every_document_is_found_from_the_readme() -> None:
    ahead = [CHECKOUT / "README.md"]
    for document in ahead:
        found = [target for target, _ in links(document) if target.suffix == ".md"]
        ahead += [target for target in dict.fromkeys(found) if target not in ahead]
    assert set(DOCS.glob("*.md")) <= set(ahead)


def test_the_readme_is_short_and_says_first_what_it_is() -> None:
    text = (CHECKOUT / "README.md").read_text("utf-8")
    assert len(text.splitlines()) <= 60
    first = " ".join(text.split("\n\n")[1].split()).split(". ")[0]
    assert "Farkle" in first
    assert "two players, and for more" in first
    assert "make web" in text
    assert "make chat" in text
    assert "make test" in text


def test_pictures_are_small() -> None:
    pictures = [path for path in DOCS.rglob("*") if path.suffix in {".png", ".svg"}]
    assert pictures
    assert all(path.stat().st_size < 150_000 for path in pictures)
