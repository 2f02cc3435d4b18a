"""People in front of the gateway's pages, in a real Chromium and by keyboard alone.

Usage: visit.py SANDBOX_JSON [FOLDER]

SANDBOX_JSON is the line that `latchd sandbox --json` prints. Each step says on a line of its own what was seen; the first
that is not as it should be ends the program with 1. With a FOLDER a picture of every page is left there, for a phone and a
desk, in light and in dark.
"""

import json
import sys
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, sync_playwright
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from browsers import launch
from visitor import PATIENCE

PHONE, DESK = (360, 740), (1280, 900)
TOUCH = 44


class Visit:
    """One person's browser."""

    def __init__(self, browser, base, size=PHONE, scheme="light"):
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, base_url=base
        )
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE * 1_000)
        self.complaints = []
        self.page.on("console", lambda message: self.noted(message))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def noted(self, message):
        # A form that was refused is an answer of 4xx, which Chromium writes down too.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.complaints.append(message.text)

    def key(self, key):
        self.page.keyboard.press(key)

    def tab_to(self, selector):
        """Presses Tab until the focus is on what a selector finds; the focus must be seen there."""
        for _ in range(80):
            self.key("Tab")
            if self.page.evaluate("s => document.activeElement?.matches(s) ?? false", selector):
                outline = self.page.evaluate(
                    "() => { const s = getComputedStyle(document.activeElement);"
                    " return s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2 }"
                )
                check(outline, f"the focus on {selector} is seen")
                return
        fail(f"{selector} is not reached by Tab on {self.page.url}")

    def press(self, selector):
        self.tab_to(selector)
        with self.page.expect_navigation():
            self.key("Enter")

    def type(self, text, then=None):
        self.page.keyboard.type(text)
        if then == "Enter":
            with self.page.expect_navigation():
                self.key("Enter")

    def sign_in(self, email, password):
        self.page.goto("/latch/sign-in")
        self.expect_focus("#username", "the first field has the focus")
        self.type(email)
        self.tab_to("#password")
        self.type(password, then="Enter")

    def expect_focus(self, selector, sentence):
        """Waits for the focus of a new page, which a browser sets after it has drawn it."""
        try:
            self.page.wait_for_function("s => document.activeElement?.matches(s) ?? false", arg=selector)
        except PlaywrightTimeout:
            fail(sentence)

    def focused(self, selector):
        return self.page.evaluate("s => document.activeElement?.matches(s) ?? false", selector)

    def says(self, text):
        check(text in self.page.inner_text("body"), f"'{text}' is on {self.path}")

    @property
    def path(self):
        return "/" + self.page.url.split("/", 3)[3].split("?")[0]


def fail(sentence):
    print(f"Not so: {sentence}.")
    sys.exit(1)


def check(holds, sentence):
    if not holds:
        fail(sentence)


def done(sentence):
    print(sentence, flush=True)


MEASURE = """
(touch) => {
    const small = [...document.querySelectorAll('button, .button, input:not([type=hidden]), nav a')]
        .filter(e => e.offsetParent !== null)
        .filter(e => e.type !== 'checkbox' && e.getBoundingClientRect().height < touch - 0.5)
        .map(e => e.outerHTML.slice(0, 80));
    return { small, wide: document.documentElement.scrollWidth - document.documentElement.clientWidth };
}
"""


def look(visit, name):
    """What holds for every page: accessible, wide enough to touch, no wider than the screen, one first heading."""
    violations = Axe().run(visit.page).response["violations"]
    told = [f"{v['id']}: {v['nodes'][0]['html'][:120]} {v['nodes'][0].get('failureSummary', '')}" for v in violations]
    check(not told, f"{name} has no violations of axe-core: {told}")
    measured = visit.page.evaluate(MEASURE, TOUCH)
    check(not measured["small"], f"everything on {name} is {TOUCH} pixels high: {measured['small']}")
    check(measured["wide"] <= 0, f"{name} fits the screen")
    check(visit.page.locator("h1").count() == 1 and visit.page.locator("main").count() == 1, f"{name} has a heading")


def set_pin(browser, base, person, folder):
    pin = Visit(browser, base)
    pin.sign_in(person["email"], person["password"])
    for field in ("#pin", "#repeated_pin"):
        pin.tab_to(field)
        pin.type("424242")
    with pin.page.expect_navigation():
        pin.key("Enter")
    pin.says("Your PIN is set.")
    look(pin, "the account with a PIN")
    if folder:
        pin.page.screenshot(path=folder / "pin-360-light.png", full_page=True)
    done("set a PIN")


def said_no(browser, base, folder):
    """Somebody says no at the provider: a page with the server's name and a way to try again."""
    for size, scheme in [(PHONE, "light"), (DESK, "dark")]:
        visit = Visit(browser, base, size, scheme)
        visit.page.goto("/latch/sign-in")
        visit.press("a.button")
        with visit.page.expect_navigation(url="**/callback**"):
            visit.page.click("button[value=deny]")
        visit.says("You declined at the identity provider")
        look(visit, "a refusal")
        if folder:
            visit.page.screenshot(path=folder / f"refusal-{size[0]}-{scheme}.png", full_page=True)
        visit.press("main a.button")
        check(visit.path == "/latch/sign-in", "a sign-in that failed is begun again by a button")
    done("was told of a refusal")


def journey(browser, sandbox, people, folder):
    base = sandbox["onyx"]["url"]
    ada, bob = people["ada"], people["bob"]
    root = Visit(browser, base)
    root.page.goto("/latch/account")
    check(root.path == "/latch/sign-in", "who is not signed in is sent to the sign-in")
    root.sign_in(ada["email"], "wrong words")
    root.says("The e-mail address or password is incorrect")
    root.expect_focus("#password", "after a mistake the focus is on the password")
    root.type(ada["password"], then="Enter")
    check(root.path == "/latch/account", "the account is shown after the sign-in")
    done("signed in by keyboard alone")

    desk, phone = Visit(browser, base, DESK, "dark"), Visit(browser, base)
    phone.sign_in(bob["email"], bob["password"])
    desk.sign_in(bob["email"], bob["password"])
    desk.says("This device")
    desk.press("button[aria-label^='Sign out: ']")
    desk.says("The device is signed out.")
    phone.page.reload()
    check(phone.path == "/latch/sign-in", "the other device is signed out")
    done("ended a device")

    desk.tab_to("#current")
    desk.type(bob["password"])
    desk.tab_to("#new")
    desk.type("bob has new words")
    desk.tab_to("#repeated")
    desk.type("bob has other words", then="Enter")
    desk.says("The passwords do not match.")
    desk.expect_focus("#repeated", "the focus is on the field with the mistake")
    for field, words in [("#current", bob["password"]), ("#new", "bob has new words"), ("#repeated", "bob has new words")]:
        desk.tab_to(field)
        desk.type(words)
    with desk.page.expect_navigation():
        desk.key("Enter")
    desk.says("Your password is changed")
    phone.sign_in(bob["email"], bob["password"])
    phone.says("The e-mail address or password is incorrect")
    phone.sign_in(bob["email"], "bob has new words")
    check(phone.path == "/latch/account", "the new password signs in")
    done("changed the password")

    if "immich" in sandbox:
        set_pin(browser, sandbox["immich"]["url"], ada, folder)

    carol = Visit(browser, base, DESK)
    carol.page.goto("/latch/sign-in")
    carol.press("a.button")
    carol.page.fill("#email", people["carol"]["email"])
    carol.page.fill("#password", people["carol"]["password"])
    carol.page.keyboard.press("Enter")
    carol.page.wait_for_url("**/latch/account")
    carol.says(people["carol"]["email"])
    done("signed in through the provider")
    said_no(browser, base, folder)

    root.press("a[href='/latch/admin']")
    root.tab_to("#q")
    root.type("bob", then="Enter")
    root.press("td a")
    root.press("button[value=disable]")
    root.says("Disable Bob")
    look(root, "a question")
    if folder:
        root.page.screenshot(path=folder / "question-360-light.png", full_page=True)
    root.press("main a.other")
    check("disable" in root.page.inner_html("main"), "whoever cancels is back at the person")
    root.press("button[value=disable]")
    root.press("main button.harm")
    root.says("The person is disabled and signed out everywhere.")
    for one in (phone, desk):
        one.page.goto("/latch/account")
        check(one.path == "/latch/sign-in", "who is disabled is signed out")
    phone.sign_in(bob["email"], "bob has new words")
    phone.says("The e-mail address or password is incorrect")
    done("disabled somebody")
    person = root.page.url.split("?")[0]

    root.page.goto("/latch/account")
    root.key("Tab")
    check(root.focused(".skip"), "the first stop leads to the content")
    root.press("header button")
    root.says("You are signed out.")
    for one in (root, desk, phone, carol):
        check(not one.complaints, f"the browser has nothing to complain of: {one.complaints}")
    done("signed out")
    return person


def pages(person):
    return [
        ("sign-in", "/latch/sign-in", False), ("already", "/latch/sign-in?return=/photos", True),
        ("again", "/latch/sign-in?again=1", True), ("account", "/latch/account", True), ("people", "/latch/admin", True),
        ("person", person, True), ("sessions", "/latch/admin/sessions", True),
        ("providers", "/latch/admin/providers", True), ("failures", "/latch/admin/failures", True),
        ("missing", "/latch/nowhere", False), ("root", "/", False),
    ]


def gallery(browser, base, people, person, folder):
    """Every page as it looks; axe-core looks at a phone in light and a desk in dark."""
    for size, scheme, isChecked in [
        (PHONE, "light", True), (DESK, "dark", True), (PHONE, "dark", False), (DESK, "light", False)
    ]:
        if not isChecked and not folder:
            continue
        stranger, root = Visit(browser, base, size, scheme), Visit(browser, base, size, scheme)
        root.sign_in(people["ada"]["email"], people["ada"]["password"])
        for name, path, isSignedIn in pages(person):
            visit = root if isSignedIn else stranger
            visit.page.goto(path)
            if isChecked:
                look(visit, name)
            if folder:
                visit.page.screenshot(path=folder / f"{name}-{size[0]}-{scheme}.png", full_page=True)
        stranger.sign_in("nobody@example.org", "wrong words")
        if isChecked:
            look(stranger, "a mistake")
        if folder:
            stranger.page.screenshot(path=folder / f"mistake-{size[0]}-{scheme}.png", full_page=True)
    done("every page is accessible")


def main():
    sandbox = json.loads(sys.argv[1])
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    people = {user["email"].split("@")[0]: user for user in sandbox["users"]}
    people["carol"] = {"email": "carol@example.org", "password": "carol-plays-in-the-sandbox"}
    with sync_playwright() as playwright:
        browser = launch(playwright, "chromium")
        base = sandbox["onyx"]["url"]
        person = journey(browser, sandbox, people, folder)
        gallery(browser, base, people, person, folder)
        browser.close()


main()
