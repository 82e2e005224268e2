"""What is set for a place, in a few plain lines."""

from dataclasses import asdict
from typing import Any

from bot.store.rows import PlaceSettings
from solver.wording import say, say_later, say_number, spoken


def settings_data(settings: PlaceSettings) -> dict[str, Any]:
    """What holds in a place, as plain data."""
    return {**asdict(settings), "daily": settings.daily if settings.daily >= 0 else None}


def settings_text(settings: PlaceSettings) -> str:
    """What holds in a place, in the language that is set for it."""
    lines = [
        say_number(
            "At most {number} game can be open here at once.",
            "At most {number} games can be open here at once.",
            settings.games,
        )
    ]
    if settings.mentions:
        lines.append(say("The player to move is mentioned."))
    if settings.posts:
        lines.append(say("The odds are posted after each turn."))
    if settings.threads:
        lines.append(say("Every game gets a thread, on Discord."))
    if settings.daily >= 0:
        lines.append(
            say(
                "The daily position is posted at {hour}:00 UTC, on Discord.",
                hour=f"{settings.daily:02}",
            )
        )
    if settings.language:
        name = spoken().name
        message = say_later(
            "Answers on Discord are in {language} here; a console speaks the language that"
            " FARKLE_LANGUAGE says as it starts."
        )
        lines.append(say(message, language=name))
    else:
        lines.append(say("On Discord everybody is answered in their own language."))
    return "\n".join(lines)
