"""Answers as JSON, and their description."""

import json
from unittest.mock import AsyncMock, Mock

import jsonschema_rs
import pytest

from bot.services.advisor import Advisor
from bot.services.house_rules import HouseRules
from bot.store.rows import StoreError
from bot.store.store import Store
from bot.tasks.pressure import too_busy
from bot.tasks.workers import WorkerDiedError
from tests.bot.fronts.web.visiting import Site, Visit

QUESTIONS = [
    ("advise?dice=653332&me=4200&them=5000", "/advise 653332 me:4200 them:5000"),
    ("advise?dice=5+5+2&turn=300&rules=kcd", "/advise 5 5 2 turn:300 rules:kcd"),
    ("advise?dice=653332&endings=yes", "/advise 653332 endings:yes"),
    ("odds?turn=350&dice=2", "/odds turn:350 dice:2"),
    ("position?id=CZT1-7YZ9-SYP", "/position CZT1-7YZ9-SYP"),
    ("explore?dice=2&turn=350", "/explore dice:2 turn:350"),
    ("komi?rules=classic", "/komi rules:classic"),
]


@pytest.mark.parametrize(("path", "line"), QUESTIONS)
async def test_it_says_what_the_chat_says(site: Site, visit: Visit, path: str, line: str) -> None:
    said = (await site.chat.all(line))[-1].data
    assert await visit.json(f"/api/v1/{path}") == json.loads(json.dumps(said))


async def test_a_refusal_is_one_sentence(visit: Visit) -> None:
    paths = "advise?dice=9", "advise", "advise?dice=5&they=3", "nothing", "odds?me=x"
    for path in (*paths, "odds?me=50&me=100"):
        found = await visit.get(f"/api/v1/{path}")
        assert found.status in {400, 404}
        error = json.loads(found.text)["error"]
        assert error.endswith((".", "!", "?"))
        assert "\n" not in error


async def test_a_fault_of_the_program_is_no_refusal(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Advisor, "odds_of", lambda *_: 1 // 0)
    found = await visit.get("/api/v1/odds?dice=2")
    said = json.loads(found.text)
    assert found.status == 500
    assert said["fault"] in said["error"]
    described = await visit.json("/api/v1/openapi.json")
    jsonschema_rs.validate(described["components"]["schemas"]["Fault"], said)
    assert (await visit.get("/odds?dice=2")).status == 500
    monkeypatch.setattr(HouseRules, "create", lambda *_, **__: 1 // 0)
    form = await visit.get("/rules/new")
    assert (await visit.post("/rules/new", form.form("/rules/new") | {"name": "b"})).status == 500


async def test_what_may_go_well_later_is_no_refusal(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    for error in (StoreError("it was held"), WorkerDiedError("it ended"), too_busy()):
        monkeypatch.setattr(Advisor, "odds_of", Mock(side_effect=error))
        monkeypatch.setattr(Store, "all_open_games", AsyncMock(side_effect=error))
        for path in ("/api/v1/odds?dice=2", "/odds?dice=2", "/play"):
            found = await visit.get(path)
            assert found.status == 503, path
            assert f"{str(error).capitalize()}." in found.text


async def test_another_method_is_told_which_there_is(visit: Visit) -> None:
    refused = await visit.post("/api/v1/position", {})
    assert (refused.status, refused.headers["Allow"]) == (405, "GET,HEAD")
    assert json.loads(refused.text) == {"error": "This page takes no such request."}


async def test_the_description_is_openapi_and_what_it_names_is_served(visit: Visit) -> None:
    found = await visit.json("/api/v1/openapi.json")
    assert found["openapi"].startswith("3.1")
    for schema in found["components"]["schemas"].values():
        jsonschema_rs.meta.validate(schema)
    assert {"/advise", "/odds", "/explore", "/kcd"} <= found["paths"].keys()
    for path, methods in found["paths"].items():
        names = [one["name"] for one in methods["get"]["parameters"]]
        assert len(names) == len(set(names))
        for one in methods["get"]["parameters"]:
            jsonschema_rs.meta.validate(one["schema"])
            assert one["in"] == "query"
        # something is missing or unknown, but it is there
        answer = await visit.get(f"{found['servers'][0]['url']}{path}?nonsense=1")
        assert answer.status == 400
        jsonschema_rs.validate(found["components"]["schemas"]["Error"], json.loads(answer.text))
