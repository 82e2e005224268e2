"""Settings that cannot be: one sentence, in the language that the environment names."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from bot.fronts.discord.settings import DiscordSettings
from bot.settings import Settings, read_settings
from solver.errors import InvalidRequestError

WRONG = [
    ("FARKLE_WORKERS", "x", 'it takes a whole number from 0 to 64, not "x"'),
    ("FARKLE_WORKERS", "65", "it takes a number from 0 to 64, not 65"),
    ("FARKLE_ABANDONED_HOURS", "1.5", 'it takes a whole number from 1 to 10,000, not "1.5"'),
    ("FARKLE_PERSON_TASKS", "0", "it takes a number of at least 1, not 0"),
    ("FARKLE_TASK_SECONDS", "nan", "it takes a number above 0, not nan"),
    ("FARKLE_SOLVE_SECONDS", "soon", 'it takes a number above 0, not "soon"'),
    ("FARKLE_LANGUAGE", "xx", 'it takes one of en, de, not "xx"'),
    ("FARKLE_LOG", "loud", 'it takes one of debug, info, warning, error, not "loud"'),
    ("FARKLE_LOG_FORMAT", "xml", 'it takes one of text, json, not "xml"'),
    ("FARKLE_HTTP", "everywhere", "it takes a port such as 8080, or an address such as 0.0.0.0:80"),
    ("FARKLE_HTTP", "here:80:90", "it takes a port such as 8080, or an address such as 0.0.0.0:80"),
    ("FARKLE_DISCORD_SHARDS", "5-4/10", "it takes the first and the last shard of how many, such"),
    (
        "DISCORD_PUBLIC_KEY",
        "abc",
        "it takes the public key of the application as its page tells it",
    ),
    ("FARKLE_PACE", "61", "it takes a number from 0 to 60, not 61"),
    ("FARKLE_DISCORD_API", "x", "it has to be a complete address, such as http://localhost:8080"),
]


def refusal(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> str:
    """What is said to a wrong value."""
    monkeypatch.setenv(name, value)
    known = name.removeprefix("FARKLE_").lower() in Settings.model_fields
    with pytest.raises(InvalidRequestError) as refused:
        read_settings(Settings if known else DiscordSettings)
    monkeypatch.delenv(name)
    return str(refused.value)


@pytest.mark.parametrize(("name", "value", "sentence"), WRONG)
def test_a_wrong_setting_is_named_with_what_is_accepted(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, sentence: str
) -> None:
    monkeypatch.delenv("FARKLE_LANGUAGE", raising=False)
    said = refusal(monkeypatch, name, value)
    assert said.startswith(f"{name} cannot be used: {sentence}")
    if name != "FARKLE_LANGUAGE":
        monkeypatch.setenv("FARKLE_LANGUAGE", "de-AT")
        german = refusal(monkeypatch, name, value)
        assert german.startswith(f"{name} ist nicht brauchbar: ")
        assert not {"it", "is", "number", "not"} & set(german.split())
        assert (value in german) == (value in said)


def test_a_setting_is_not_told_at_any_length(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(refusal(monkeypatch, "FARKLE_WORKERS", "9x" * 1000)) < 150


def test_the_range_of_every_number_can_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number without a least one would have nothing to say."""
    for kind in (Settings, DiscordSettings):
        for key, field in kind.model_fields.items():
            if isinstance(field.default, int | float) or key == "workers":
                name = f"{kind.prefix}{key}".upper()
                assert " number " in refusal(monkeypatch, name, "none of them")


def test_variables_may_be_in_small_letters_or_without_text(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("FARKLE_WORKERS", raising=False)
    monkeypatch.setenv("farkle_workers", "3")
    monkeypatch.setenv("FARKLE_PERSON_TASKS", "")
    found = read_settings(Settings)
    assert found.workers == 3
    assert found.person_tasks == Settings.model_fields["person_tasks"].default
    # what is given goes before the environment
    given = Settings(data=tmp_path, workers=2)
    assert (given.workers, given.data) == (2, tmp_path)
    with pytest.raises(ValidationError, match="frozen"):
        given.workers = 1  # type: ignore[misc]
    with pytest.raises(ValidationError, match="extra"):
        Settings(worker=1)  # type: ignore[call-arg]


def test_tokens_are_never_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", "very secret")
    monkeypatch.setenv("FARKLE_PACE", "slow")
    with pytest.raises(InvalidRequestError) as refused:
        read_settings(DiscordSettings)
    assert "secret" not in str(refused.value)
    monkeypatch.delenv("FARKLE_PACE")
    with pytest.raises(InvalidRequestError, match="characters that") as refused:
        read_settings(DiscordSettings).token()
    assert "secret" not in str(refused.value)
