"""Whole ways through the pages in Chromium, with script and without, small and large."""

import re
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.bot.fronts.web.visiting import Site, open_site
from tests.conftest import only_with_every

CHROMIUM = shutil.which("chromium")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's package chromium"),
    pytest.mark.asyncio(loop_scope="module"),
]

ways = pytest.mark.parametrize(
    ("script", "width"),
    [
        (False, 384),
        (True, 1280),
        *(pytest.param(*way, marks=only_with_every) for way in ((True, 384), (False, 1280))),
    ],
)
"""With script and without, on a phone and at a desk."""

CONTRASTS = """() => {
  const lightness = (text) => {
    const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map((v) => v / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (one) => {
    for (; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if (!/, 0\\)$|transparent/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const bad = [];
  for (const one of document.querySelectorAll("body *")) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    const shown = one.getClientRects().length && !one.closest("svg, [disabled], .unseen, .skip");
    if (!own || !shown) continue;
    const [x, y] = [lightness(getComputedStyle(one).color), lightness(ground(one))].sort();
    if ((y + 0.05) / (x + 0.05) < 4.5) bad.push(one.outerHTML.slice(0, 120));
  }
  return bad;
}"""
"""Text with less contrast than 4.5, as WCAG 2.2 asks for."""

SMALL = """() => [...document.querySelectorAll("main a, main button, main input, main select")]
  .filter((one) => one.getClientRects().length && getComputedStyle(one).display !== "inline")
  .filter((one) => one.getBoundingClientRect().height < 24).map((one) => one.outerHTML)"""
"""What is too small to be tapped, as WCAG 2.2 has it; links within a sentence aside."""


Browser = Callable[..., AbstractAsyncContextManager[Any]]
"""Opens a page of a site, in whose console nothing may be said."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def opened() -> AsyncIterator[Browser]:
    """Pages of one browser, which takes longer to start than most ways through them.

    Each has cookies and a cache of its own.
    """
    from playwright.async_api import async_playwright  # noqa: PLC0415 - slow tests alone need it

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])

        @asynccontextmanager
        async def opened(
            site: Site, *, script: bool, width: int = 384, scheme: Any = "light"
        ) -> AsyncIterator[Any]:
            said: list[str] = []
            context = await browser.new_context(
                viewport={"width": width, "height": 800},
                java_script_enabled=script,
                color_scheme=scheme,
                base_url=site.base,
                locale="en",
            )
            async with context:
                page = await context.new_page()
                page.on("console", lambda message: said.append(message.text))
                page.on("pageerror", lambda error: said.append(str(error)))
                yield page
            # what breaks the content policy is told there, too; a refusal is no fault of the page
            assert [one for one in said if "status of 400" not in one] == []

        yield opened
        await browser.close()


@pytest_asyncio.fixture(loop_scope="module")
async def site(data: Path, tmp_path: Path) -> AsyncIterator[Site]:
    """Pages as in other tests, which the loop of the browser serves."""
    (tmp_path / "kernels").symlink_to(data / "kernels")
    async with open_site(tmp_path, data / "strategies") as site:
        yield site


async def press(page: Any, what: Any) -> None:
    """Press something, or the key of what has the focus, and wait for what follows."""
    await page.evaluate("document.getElementById('main').dataset.old = 'yes'")
    await (what.press("Enter") if what is page.keyboard else what.click())
    await page.wait_for_selector("#main:not([data-old]):not([aria-busy])")


@ways
async def test_dice_are_tapped_and_the_advice_is_there(
    site: Site, opened: Browser, script: bool, width: int
) -> None:
    async with opened(site, script=script, width=width) as page:
        await page.goto("/")
        for face in "653332":
            await press(page, page.get_by_label(f"Add a {face}"))
        assert "51.10\N{NO-BREAK SPACE}%" in await page.inner_text("main")
        assert "653332" in page.url
        await press(page, page.get_by_text("How does the turn end"))
        assert await page.locator(".histogram").count() == 2
        await press(page, page.get_by_text("Explore from here"))
        assert "turn total 50" in await page.inner_text("main")
        await press(page, page.get_by_role("link", name="Your score +1,000"))
        assert "you 1,000" in await page.inner_text("main")
        await page.go_back()
        await page.get_by_text("you 0, them 0").first.wait_for()


async def test_scores_are_asked_about_as_they_are_typed(site: Site, opened: Browser) -> None:
    async with opened(site, script=True) as page:
        await page.goto("/?dice=653332")
        await page.get_by_label("Your score").click()
        await page.keyboard.type("4200")
        await page.get_by_text("you 4,200").first.wait_for()
        assert await page.evaluate("document.activeElement.id") == "f-me"


async def test_who_has_a_keyboard_goes_on_where_they_were(site: Site, opened: Browser) -> None:
    async with opened(site, script=True) as page:
        await page.goto("/play")
        await page.get_by_label("Your name").fill("Ann")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/game/*")
        dice = page.locator("a.tap")
        for _ in range(9):
            await page.get_by_role("button", name="Roll").focus()
            await press(page, page.keyboard)
            assert await page.evaluate("document.activeElement.id") == "main"
            if await dice.count():  # else it was a farkle
                break
        die = await dice.first.get_attribute("id")
        await dice.first.focus()
        await press(page, page.keyboard)
        assert await page.evaluate("document.activeElement.id") == die


@ways
async def test_a_game_to_its_end_and_its_review(
    site: Site, opened: Browser, script: bool, width: int
) -> None:
    async with opened(site, script=script, width=width) as page:
        await page.goto("/play")
        await page.get_by_label("Against").select_option("cautious")
        await page.get_by_label("Rules").select_option("kcd")
        await page.get_by_label("Goal").fill("800")
        await page.get_by_label("Your name").fill("Ann")
        await page.get_by_role("button", name="Begin").click()
        await page.wait_for_url("**/game/*")
        review = page.get_by_role("link", name="Review")
        for _ in range(200):
            if await review.count():
                break
            bank = page.get_by_role("button", name="Bank")
            roll = page.get_by_role("button", name="Roll")
            picks, dice = page.locator("ul.steps a:has-text('·')"), page.locator("a.tap")
            if await bank.count() and await bank.is_enabled():
                await press(page, bank)
            elif await roll.count() and await roll.is_enabled():
                await press(page, roll)
            else:
                await press(page, (picks if await picks.count() else dice).first)
        await press(page, review)
        await page.get_by_text("accuracy").first.wait_for()


@ways
async def test_house_rules_are_made_and_solved(
    tmp_path: Path, kernels: Path, opened: Browser, script: bool, width: int
) -> None:
    (tmp_path / "kernels").symlink_to(kernels)
    async with (
        open_site(tmp_path, tmp_path / "strategies", needed=30) as site,
        opened(site, script=script, width=width) as page,
    ):
        await page.goto("/rules")
        await press(page, page.get_by_role("link", name="Make house rules"))
        await page.get_by_label("A name for them").fill("sunday")
        await page.locator("#f-base").select_option("classic")
        await page.locator("#f-dice").fill("3")
        await page.locator("#f-goal").fill("501")
        await press(page, page.get_by_role("button", name="Make and solve"))
        # what is wrong is said at its field, and what was given is there
        assert await page.get_attribute("#f-goal", "aria-invalid") == "true"
        await page.locator("#f-goal").fill("500")
        await page.get_by_role("button", name="Make and solve").click()
        await page.get_by_role("link", name="Ask by these rules").click()
        await page.get_by_label("Add a 1").wait_for()
        for face in "155":
            await press(page, page.get_by_label(f"Add a {face}"))
        assert "sunday rules" in await page.inner_text(".answer")


@ways
async def test_loaded_dice_by_tapping(
    site: Site, opened: Browser, script: bool, width: int
) -> None:
    async with opened(site, script=script, width=width) as page:
        await page.goto("/kingdom?goal=600")
        for die in (*["Lucky"] * 2, *["Odd"] * 4):
            await press(page, page.locator(f".shelf a[aria-label^='{die}']"))
        await page.get_by_text("You win").first.wait_for()
        await press(page, page.get_by_role("link", name="Ask about a roll of these dice"))
        assert await page.get_by_label(re.compile("^Add a 1")).count() == 2


async def test_who_waits_sees_what_the_other_does(site: Site, opened: Browser) -> None:
    async with opened(site, script=True) as ann, opened(site, script=True) as bob:
        await ann.goto("/play")
        await ann.get_by_label("Against").select_option("")
        await ann.get_by_label("Your name").fill("Ann")
        await ann.get_by_role("button", name="Begin").click()
        await ann.wait_for_url("**/game/*")
        await bob.goto(await ann.input_value("#f-link"))
        await bob.get_by_label("Your name").fill("Bob")
        await bob.get_by_role("button", name="Join").click()
        await ann.get_by_role("button", name="Start").click()
        await bob.get_by_text("Ann rolls").first.wait_for()


@pytest.mark.parametrize(("width", "scheme"), [(384, "dark"), (1280, "light")])
async def test_pages_fit_and_can_be_read(
    site: Site, opened: Browser, width: int, scheme: str
) -> None:
    async with opened(site, script=True, width=width, scheme=scheme) as page:
        for path in (
            *("/", "/?dice=553332&turn=300&endings=yes&lang=de", "/odds?turn=350&dice=2"),
            *("/explore?turn=350&dice=2", "/play", "/rules", "/rules/zilch", "/rules/new"),
            *(
                "/rules?find=three+pairs",
                "/api",
                "/numbers",
                "/points?rules=kcd",
                "/privacy",
                "/practise",
                "/kingdom",
            ),
            *("/kingdom?my-dice=lucky*2,odd&choose=my-badge", "/?my-dice=lucky*5,odd&lang=de"),
        ):
            await page.goto(path)
            assert await page.evaluate("document.documentElement.scrollWidth") <= width, path
            assert await page.evaluate(CONTRASTS) == [], path
            assert await page.evaluate(SMALL) == [], path
