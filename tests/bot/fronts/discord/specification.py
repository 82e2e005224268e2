"""Discord's own description of its HTTP API, against which the loopback's traffic is held.

It is not part of this project. Where the file is absent only the rules that the loopback knows by
itself are checked.
"""

import json
import os
import re
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jsonschema_rs import Draft202012, Draft202012Validator, Registry

PATH = Path(
    os.environ.get(
        "DISCORD_SPECIFICATION",
        Path(__file__).resolve().parents[5] / "shared" / "discord" / "openapi.json",
    )
)
_URI = "urn:discord"

# interaction callbacks are told apart by their type, which gives readable errors
_CALLBACKS = {
    4: "CreateMessageInteractionCallbackRequest",
    5: "CreateMessageInteractionCallbackRequest",
    6: "UpdateMessageInteractionCallbackRequest",
    7: "UpdateMessageInteractionCallbackRequest",
    8: "ApplicationCommandAutocompleteCallbackRequest",
    9: "ModalInteractionCallbackRequest",
}


@cache
def _document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(PATH.read_text("utf-8"))
    return found


@cache
def _registry() -> Registry:
    return Registry([(_URI, _document())], draft=Draft202012)


@cache
def _validator(pointer: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": pointer}, registry=_registry())


@cache
def _paths() -> list[tuple[re.Pattern[str], str]]:
    paths = sorted(_document()["paths"], key=lambda path: (path.count("{"), path))
    return [(re.compile(re.sub(r"\{[^}]+\}", r"[^/]+", path) + "$"), path) for path in paths]


def _pointer(*keys: str) -> str:
    escaped = "/".join(key.replace("~", "~0").replace("/", "~1") for key in keys)
    return quote(f"{_URI}#/{escaped}", safe="#/:~")


def _operation(method: str, path: str) -> tuple[str, dict[str, Any]]:
    for pattern, template in _paths():
        if pattern.match(path) and method.lower() in _document()["paths"][template]:
            return template, _document()["paths"][template][method.lower()]
    raise AssertionError(f"Discord has no {method} {path}")


def _problems(pointer: str, value: Any) -> list[str]:
    return [
        f"{'/'.join(map(str, error.instance_path))}: {error.message[:300]}"
        for error in _validator(pointer).iter_errors(value)
    ]


def request_problems(method: str, path: str, body: Any) -> list[str]:
    """What Discord's description says against a request."""
    if not PATH.is_file():
        return []
    template, operation = _operation(method, path)
    if body is None:
        needed = operation.get("requestBody", {}).get("required", False)
        return ["a body is needed"] if needed else []
    if template.endswith("/callback"):
        pointer = _pointer("components", "schemas", _CALLBACKS.get(body.get("type"), "none"))
    else:
        keys = ("requestBody", "content", "application/json", "schema")
        pointer = _pointer("paths", template, method.lower(), *keys)
    return _problems(pointer, _with_text_ids(body))


def response_problems(method: str, path: str, status: int, body: Any) -> list[str]:
    """What Discord's description says against what the loopback answers itself."""
    if not PATH.is_file() or status >= 400:
        return []
    template, operation = _operation(method, path)
    if str(status) not in operation["responses"]:
        return [f"no status {status}"]
    if "content" not in operation["responses"][str(status)]:
        return [] if body is None else ["no body is answered"]
    keys = ("responses", str(status), "content", "application/json", "schema")
    return _problems(_pointer("paths", template, method.lower(), *keys), body)


def _with_text_ids(body: Any) -> Any:
    """discord.py sends some ids as numbers, which Discord takes as well."""
    if not isinstance(body, dict):
        return body
    changed = {key: _with_text_ids(value) for key, value in body.items()}
    if isinstance(found := changed.get("attachments"), list):
        changed["attachments"] = [
            one | {"id": str(one["id"])} if "id" in one else one for one in found
        ]
    if isinstance(found := changed.get("allowed_mentions"), dict):
        changed["allowed_mentions"] = found | {"users": [str(u) for u in found.get("users", [])]}
    return changed
