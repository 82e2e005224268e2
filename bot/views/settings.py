"""What is set for a place, in a few plain lines."""

from bot.store.rows import PlaceSettings
from solver.wording import say, say_number, spoken


def settings_text(settings: PlaceSettings) -> str:
    """What holds in a place, in the language that is set for it."""
    lines = [
        say_number(
            "At most {number} game may be open here at once.",
            "At most {number} games may be open here at once.",
            settings.games,
        )
    ]
    if settings.mentions:
        lines.append(say("The player to move is mentioned."))
    if settings.posts:
        lines.append(say("Odds are told in a message after each turn."))
    if settings.language:
        name = spoken().name
        lines.append(say("Answers on Discord are in {language} here.", language=name))
    else:
        lines.append(say("On Discord everybody is answered in their own language."))
    return "\n".join(lines)
