"""A script as somebody writes it who uses the package: mypy --strict has nothing to say of it."""

from farkle_advisor import FarkleError, Option, duel, load_rules, points, solve


def kept(roll: str, me: int, them: int) -> str:
    """What to keep of a roll, and why it is that."""
    game = solve("facebook", progress=False)
    try:
        advice = game.advise(roll, me=me, them=them)
    except FarkleError as error:
        return f"refused: {error}"
    best: Option | None = advice.best
    if best is None:
        return f"farkle, {advice.win_probability:.2%} left"
    dear = max(option.cost for option in advice)
    odds = game.odds(me, them, turn=best.turn, dice=best.dice)
    least: int | None = game.bank_from(dice=2, me=me, them=them)
    turn = game.turn(me, them)
    cells: int = int((turn.value > odds.roll).sum())
    other = sum(advice.chances[1:])
    return f"{best.keep} {best.action} {odds.action} {dear:.4f} {least} {cells > 0} {other:.4f}"


def main() -> None:
    """Print what is known by name."""
    print(kept("653332", 0, 0), kept("443", 0, 0), kept("6", 1010, 0), sep="\n")
    rules = load_rules("facebook", goal=5000)
    print(rules.name)
    print(points(rules).points > points(rules, farkle_cost=100).points)


def is_fair(level: str) -> bool:
    """Whether a level wins half of its games against itself; compiling that takes a minute."""
    small = load_rules("kcd", goal=300, dice=3)
    return abs(duel(level, level, rules=small, progress=False).overall - 0.5) < 1e-9


if __name__ == "__main__":
    main()
