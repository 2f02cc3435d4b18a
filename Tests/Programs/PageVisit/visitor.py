"""One person's browser at one site, and everything that the browser complains of."""

import json
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import suppress

from playwright.sync_api import Error
from playwright.sync_api import TimeoutError as PlaywrightTimeout

# What a busy machine may need; a person's step takes a fraction of a second.
PATIENCE = 90
PASSWORD = "correct horse battery staple 7391"


class Failure(Exception):
    """Something is not as it should be."""


class Site:
    """A gateway behind a proxy, and the commands and requests that no browser sends."""

    def __init__(self, plan, site, browser):
        self.browser = browser
        self.name, self.domain, self.gateway = site["name"], site["domain"], site["gateway"]
        self.environment, self.latchd, self.secret = site["environment"], plan["latchd"], plan["secret"]
        self.id, self.app, self.cal = (f"https://{host}.home.{self.domain}" for host in ("id", "app", "cal"))
        self.apart, self.open = f"https://apart.{self.domain}", f"https://open.home.{self.domain}"
        self.account = self.id + "/latch/account"
        self.people = 0

    def fresh(self):
        """An e-mail address that nobody has."""
        self.people += 1
        return f"{self.browser}{self.people}@example.org"

    def add(self, *options):
        """Adds a person, and returns the e-mail address."""
        email = self.fresh()
        added = subprocess.run(
            [self.latchd, "user", "add", email, "--password-stdin", *options], env=self.environment, text=True,
            input=PASSWORD + "\n", capture_output=True)
        if added.returncode:
            raise Failure(added.stderr)
        return email

    def post(self, path, **fields):
        """Sends a form as a client of the authorization server, and returns the answer."""
        return self.send(path, urllib.parse.urlencode(fields), "application/x-www-form-urlencoded")

    def register(self, **metadata):
        """Registers a client as an app does by itself, and returns its `client_id`."""
        answer = self.send("/oauth2/register", json.dumps(metadata), "application/json")
        if "client_id" not in answer:
            raise Failure(f"the app was not registered: {answer}")
        return answer["client_id"]

    def send(self, path, body, kind):
        """Sends a request as a program does, and returns the answer."""
        request = urllib.request.Request(
            self.gateway + path, body.encode(),
            {"Host": self.id.removeprefix("https://"), "X-Forwarded-Proto": "https", "Content-Type": kind})
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            return json.load(error)


class Visitor:
    """A person's browser: `context` is one of Playwright's, with no cookies yet. `statuses` are errors that the person makes,
    `schemes` those of apps, and `left` what was handed on to an app."""

    def __init__(self, context, site):
        self.context, self.site, self.problems = context, site, []
        self.statuses, self.schemes, self.left, self.may_abort = set(), (), [], False
        self.context.set_default_timeout(PATIENCE * 1_000)
        self.context.on("page", self.watch)
        self.page = self.context.new_page()

    def watch(self, page):
        page.on("console", self.console)
        page.on("pageerror", lambda error: self.problems.append(f"error on the page: {error}"))
        page.on("response", self.response)
        page.on("requestfailed", self.failed)

    def console(self, message):
        # The answers with such a status are looked at below.
        if message.type in ("error", "warning") and "Failed to load resource: the server responded" not in message.text:
            self.problems.append(f"console: {message.text}")

    def response(self, response):
        if response.status >= 400 and response.status not in self.statuses:
            self.problems.append(f"status {response.status} of {response.request.method} {response.url}")

    def failed(self, request):
        if request.url.split(":")[0] in self.schemes or "NS_ERROR_UNKNOWN_PROTOCOL" in (request.failure or ""):
            self.left.append(request.url)
        elif not (self.may_abort and any(end in request.failure for end in ("ABORT", "NS_ERROR_FAILURE"))):
            self.problems.append(f"failed request ({request.failure}): {request.method} {request.url}")

    def close(self):
        self.context.close()

    def until(self, what, holds):
        """Waits, at most until the browser complains."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                if holds():
                    return
            except Error:
                pass  # The page changes just now.
            if self.problems or time.monotonic() > end:
                raise Failure(f"{what} did not happen at {self.page.url}, which says: {self.text}")
            self.page.wait_for_timeout(20)

    @property
    def text(self):
        """The beginning of what the page says."""
        try:
            return " ".join(self.page.inner_text("body", timeout=1_000).split())[:300]
        except Error as error:
            return f"nothing ({error.message.splitlines()[0]})"

    def arrive(self, address):
        """Waits for a page whose address begins so."""
        self.until(f"the arrival at {address}", lambda: self.page.url.startswith(address))
        self.page.wait_for_load_state()

    def fill(self, field, text):
        """Types into a field, as a person would: nothing if that is in it already."""
        found = self.page.locator(field)
        if (value := found.input_value()) == text:
            return
        if value:
            found.press("ControlOrMeta+a")
        found.fill(text)

    def says(self, text):
        """Waits for a text on the page."""
        self.until(f"'{text}'", lambda: text in self.page.inner_text("body"))

    def go(self, address):
        try:
            self.page.goto(address)
        except Error as error:
            # Over WebDriver BiDi a redirect may look like a second navigation.
            if "interrupted by another navigation" not in error.message:
                raise
            self.page.wait_for_load_state()

    def press(self, name):
        """Presses a button, or follows a link that looks like one."""
        self.page.locator("button, a.button", has_text=name).first.click()

    def sign_in(self, email, password=PASSWORD, button="Sign in"):
        """Fills in the form of the sign-in page."""
        if button == "Sign in":
            self.fill("#username", email)
        self.fill("#password", password)
        self.page.locator("main form button", has_text=button).click()

    def press_twice(self, name, place="main"):
        """Presses a button, or follows a link that looks like one, with a double click."""
        self.double_click(self.page.locator(f"{place} button, {place} a.button", has_text=name).first)

    @staticmethod
    def double_click(element):
        """Double-clicks an element. In Firefox, Playwright may never see the end of the second click when the first one has
        opened another page; what follows then says whether the clicks had their effect."""
        browser = element.page.context.browser
        if browser is None or browser.browser_type.name != "firefox":
            element.dblclick()
            return
        element.wait_for()
        with suppress(PlaywrightTimeout):
            element.dblclick(timeout=10_000)

    def at_provider(self, email, factors="one", title="Sign in at home"):
        """Signs in at an identity provider from the sign-in page."""
        self.page.click(f"a.button:has-text('{title}')")
        self.arrive("http://127.0.0.1")
        if email:
            self.fill("#email", email)
        self.page.click(f"button[value={factors}]")

    def arrived(self, path="/callback"):
        """Waits until the browser is at the client, and returns what it brought.

        The page says where it is: after a form, Playwright may still have the former address of Firefox.
        """
        address = "https://wiki.other.test" + path
        self.until(f"the arrival at {address}", lambda: self.brought["address"] == address)
        return self.brought

    @property
    def brought(self):
        """What the page of the client shows."""
        return json.loads(self.page.inner_text("pre"))
