"""Components of messages: what Discord makes of them, and what else it refuses."""

import itertools
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

ROW, BUTTON, SELECT, SECTION, TEXT, THUMBNAIL, GALLERY, FILE = 1, 2, 3, 9, 10, 11, 12, 13
CONTAINER = 17
IN_PARTS = 1 << 15
"""The flag of a message that is made of components alone, which is never taken back."""
_OLD = {ROW, BUTTON, SELECT}


def walk(components: list[Json]) -> Iterator[Json]:
    """Every component from top down, with those in others."""
    for one in components:
        yield one
        yield from walk(one.get("components", []))
        if "accessory" in one:
            yield one["accessory"]


def buttons_of(components: list[Json]) -> list[Json]:
    """The buttons in their order."""
    return [one for one in walk(components) if one["type"] == BUTTON]


def texts_of(components: list[Json]) -> list[str]:
    """What the texts say, from top down."""
    return [one["content"] for one in walk(components) if one["type"] == TEXT]


def told_back(components: list[Json], files: dict[str, bytes], address: str) -> list[Json]:
    """Components as Discord sends them back: numbered, and with the addresses of their files."""
    taken = {one["id"] for one in walk(components) if one.get("id")}
    free = (number for number in itertools.count(1) if number not in taken)

    def media(sent: Json) -> Json:
        name = sent["url"].removeprefix("attachment://")
        url = f"http://{address}/files/{name}"
        return {"id": str(9000 + len(name)), "url": url, "proxy_url": url, "width": 1, "height": 1}

    def told(one: Json) -> Json:
        found = {key: value for key, value in one.items() if value is not None}
        found["id"] = one.get("id") or next(free)
        match one["type"]:
            case kind if kind in {ROW, CONTAINER}:
                found["components"] = [told(inner) for inner in one["components"]]
                if kind == CONTAINER:
                    found |= {"accent_color": one.get("accent_color"), "spoiler": False}
            case kind if kind == SECTION:
                found["components"] = [told(inner) for inner in one["components"]]
                found["accessory"] = told(one["accessory"])
            case kind if kind == THUMBNAIL:
                found |= {"media": media(one["media"]), "spoiler": False}
            case kind if kind == GALLERY:
                found["items"] = [
                    {
                        "media": media(item["media"]),
                        "description": item.get("description"),
                        "spoiler": False,
                    }
                    for item in one["items"]
                ]
            case kind if kind == FILE:
                name = one["file"]["url"].removeprefix("attachment://")
                told_file = {"file": media(one["file"]), "name": name}
                found |= told_file | {"size": len(files.get(name, b"")), "spoiler": False}
            case kind if kind == SELECT:
                found |= {"min_values": 1, "max_values": 1} | found
        return found

    return [told(one) for one in components]


def component_problems(data: Json, sent: list[Json], names: set[str]) -> list[str]:
    """What Discord refuses of the components of a message.

    data : the message, with the content and flags that it has now
    sent : its components as they were sent
    names : of its attachments
    """
    every = list(walk(sent))
    problems: list[str] = []
    if data["flags"] & IN_PARTS:
        problems += _in_parts(data, every, names)
    else:
        if len(sent) > 5:
            problems.append("more than five rows")
        problems += [f"component {one['type']}" for one in every if one["type"] not in _OLD]
    for row in (one for one in every if one["type"] == ROW):
        inner = row["components"]
        if not 1 <= len(inner) <= (1 if inner and inner[0]["type"] == SELECT else 5):
            problems.append(f"{len(inner)} components in a row")
    for section in (one for one in every if one["type"] == SECTION):
        if not 1 <= len(section["components"]) <= 3 or "accessory" not in section:
            problems.append(f"a section {section}")
    for key in ("custom_id", "id"):
        ids = [one[key] for one in every if one.get(key)]
        if len(set(ids)) < len(ids):
            problems.append(f"a {key} twice in {ids}")
    problems += [
        f"button {one}"
        for one in every
        if one["type"] == BUTTON and not 0 < len(one.get("label") or "") <= 80
    ]
    problems += [f"id {one}" for one in every if len(one.get("custom_id") or "") > 100]
    return problems


def _in_parts(data: Json, every: list[Json], names: set[str]) -> Iterator[str]:
    """What is refused of a message that is made of components alone."""
    if data["content"] or data["embeds"]:
        yield "content beside components"
    if not every:
        yield "a message of no components"
    if len(every) > 40:
        yield f"{len(every)} components"
    texts = [one["content"] for one in every if one["type"] == TEXT]
    if sum(map(len, texts)) > 4000 or not all(texts):
        yield f"texts of {[len(one) for one in texts]} characters"
    shown = {item["media"]["url"] for one in every for item in one.get("items", [])}
    shown |= {one["file"]["url"] for one in every if one["type"] == FILE}
    shown |= {one["media"]["url"] for one in every if one["type"] == THUMBNAIL}
    if shown != {f"attachment://{name}" for name in names}:
        yield f"attachments {names}, of which {shown} are shown"
