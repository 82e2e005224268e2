"""The presets that tests go through where each of them takes long."""

USUAL = [
    *("arnold", "cardgames", "classic", "dice-10000", "facebook", "farkle-games", "kcd", "patch"),
    "zilch",
]
"""Rule sets that differ in all that play does; tests that are cheap take all there are."""
