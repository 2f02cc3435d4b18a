"""Every flow of the pages and of OAuth, in a real browser.

Usage: flows.py chromium|firefox PLAN [FLOW...], or flows.py --matrix

PLAN is JSON: the sites, and what is needed to reach them. Each flow says on a line of its own whether it passed, or what was
wrong. --matrix prints the table of docs/web-pages.md.
"""

import base64
import hashlib
import json
import re
import sys
import traceback
import urllib.parse

from playwright.sync_api import sync_playwright

from browsers import Browsers
from visitor import PASSWORD, Failure, Site, Visitor

FLOWS = {}
NEW_PASSWORD = "another horse and no battery 1937"
VERIFIER = "v" * 64


def flow(title):
    """Registers a flow under the name of its function."""

    def register(function):
        FLOWS[function.__name__.replace("_", "-")] = (title, function)
        return function

    return register


def check(holds, sentence):
    if not holds:
        raise Failure(sentence)


class Run:
    """One flow at one site: makes the browsers of its people, and looks at their complaints at the end."""

    def __init__(self, browsers, site):
        self.browsers, self.site = browsers, site
        self.visitors, self.others = [], []

    def visitor(self, browser=None, **options):
        """A person with a browser that has no cookies; `options` are those of Playwright's contexts."""
        return self.add((browser or self.browsers.one()).new_context(ignore_https_errors=True, **options))

    def add(self, context):
        visitor = Visitor(context, self.site)
        self.visitors.append(visitor)
        return visitor

    def without_cookies(self):
        """A person whose browser blocks cookies."""
        browser = self.browsers.without_cookies()
        self.others.append(browser)
        return self.add(browser)

    def signed_in(self, *options, **context):
        """A person who is signed in at the account page."""
        email, visitor = self.site.add(*options), self.visitor(**context)
        visitor.go(self.site.account)
        visitor.sign_in(email)
        visitor.arrive(self.site.account)
        return email, visitor

    def authorize(self, client="wiki", **parameters):
        """The address to which a client sends a browser."""
        redirect = "com.example.notes:/callback" if client == "notes" else "https://wiki.other.test/callback"
        challenge = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
        return f"{self.site.id}/oauth2/authorize?" + urllib.parse.urlencode({
            "response_type": "code", "client_id": client, "redirect_uri": redirect, "scope": "openid email",
            "state": "a state", "code_challenge": challenge, "code_challenge_method": "S256", **parameters,
        })

    def claims(self, arrived, client="wiki"):
        """Exchanges the code that a browser brought, and returns the claims of the ID token, and the token."""
        check(arrived.get("state") == "a state" and "code" in arrived, f"the client got {arrived}")
        secret = {"client_secret": self.site.secret} if client == "wiki" else {}
        tokens = self.site.post(
            "/oauth2/token", grant_type="authorization_code", code=arrived["code"], code_verifier=VERIFIER,
            redirect_uri="https://wiki.other.test/callback", client_id=client, **secret)
        check("id_token" in tokens, f"the client got {tokens}")
        payload = tokens["id_token"].split(".")[1]
        return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))), tokens["id_token"]

    def allowed(self):
        """A person who has allowed the client, and the browser that they used."""
        email, visitor = self.signed_in()
        visitor.go(self.authorize())
        visitor.press("Allow")
        self.claims(visitor.arrived())
        return email, visitor

    def end(self):
        for one in self.visitors + self.others:
            one.close()

    @property
    def problems(self):
        """What the browsers complained of, each complaint once."""
        return list(dict.fromkeys(problem for one in self.visitors for problem in one.problems))


# Sign-in


@flow("sign in with a password, after a wrong one")
def password(run):
    visitor = run.visitor()
    email = run.site.add()
    visitor.go(run.site.account)
    visitor.statuses = {403}
    visitor.sign_in(email, "wrong words")
    visitor.says("The e-mail address or password is incorrect")
    visitor.statuses = set()
    visitor.sign_in(email)
    visitor.arrive(run.site.account)


@flow("sign in with what a password manager filled in")
def autofill(run):
    visitor = run.visitor()
    email = run.site.add()
    visitor.go(run.site.account)

    def check_hints(fields, *expected):
        hints = visitor.page.evaluate(
            "fields => fields.map(f => document.querySelector(f)).map(e => e.autocomplete)", fields)
        check(hints == list(expected), f"a password manager knows the fields {fields}: {hints}")

    check_hints(["#username", "#password"], "username", "current-password")
    # No key is pressed, and no event tells of the change.
    visitor.page.evaluate(
        "([email, password]) => { username.value = email; document.getElementById('password').value = password }",
        [email, PASSWORD])
    visitor.page.locator("main form button", has_text="Sign in").click()
    visitor.arrive(run.site.account)
    check_hints(["#current", "#new", "#repeated"], "current-password", "new-password", "new-password")
    visitor.go(run.site.id + "/latch/sign-in?again=1")
    check_hints(["#username", "#password"], "username", "current-password")


@flow("sign in at an identity provider on another origin")
def provider(run):
    email, visitor = run.site.fresh(), run.visitor()
    visitor.go(run.site.account)
    visitor.at_provider(email)
    visitor.arrive(run.site.account)
    visitor.says(email)


@flow("say no at the identity provider, and try again")
def provider_error(run):
    visitor = run.visitor()
    visitor.statuses = {400, 401, 403}
    visitor.go(run.site.account)
    visitor.at_provider(None, "deny")
    visitor.says("You declined at the identity provider")
    visitor.statuses = set()
    visitor.press("Try again")
    visitor.at_provider(run.site.fresh())
    visitor.arrive(run.site.account)


@flow("open a protected app, and sign in at the identity provider")
def provider_app(run):
    email, visitor = run.site.fresh(), run.visitor()
    visitor.go(run.site.app + "/notes?page=2")
    visitor.at_provider(email)
    visitor.arrive(run.site.app + "/notes?page=2")
    visitor.says(f"{email} at app.home.")


@flow("sign in at an identity provider that answers with a form (`response_mode=form_post`), after a no")
def provider_form(run):
    email, visitor = run.site.fresh(), run.visitor()
    visitor.statuses = {400}
    visitor.go(run.site.account)
    visitor.at_provider(None, "deny", title="Sign in with a form")
    visitor.says("You declined at the identity provider")
    visitor.statuses = set()
    visitor.go(run.site.app + "/notes?page=2")
    visitor.at_provider(email, title="Sign in with a form")
    visitor.arrive(run.site.app + "/notes?page=2")
    visitor.says(f"{email} at app.home.")
    visitor.go(run.authorize())
    visitor.press("Allow")
    run.claims(visitor.arrived())


@flow("confirm an old sign-in at the provider before a PIN is set, after *Cancel*")
def step_up(run):
    email, visitor = "old" + run.site.fresh(), run.visitor()
    visitor.go(run.site.account)
    visitor.at_provider(email)
    visitor.arrive(run.site.account)

    def set_pin():
        for field in ("pin", "repeated_pin"):
            visitor.fill(f"#{field}", "424242")
        visitor.press("Set PIN")

    set_pin()
    visitor.says("Confirm that it is you")
    visitor.press("Cancel")
    visitor.arrive(run.site.account)
    set_pin()
    visitor.says("Confirm that it is you")
    visitor.at_provider(email)
    visitor.arrive(run.site.account)
    set_pin()
    visitor.says("Your PIN is set.")


@flow("open a page that requires several factors, and sign in at the provider with two")
def several_factors(run):
    email, visitor = run.site.fresh(), run.visitor()
    visitor.go(run.site.app + "/notes")
    visitor.at_provider(email)
    visitor.arrive(run.site.app + "/notes")
    visitor.go(run.site.app + "/vault/key")
    check(visitor.page.locator("#password").count() == 0, "a password is not offered where it is not enough")
    visitor.at_provider(email, "two")
    visitor.arrive(run.site.app + "/vault/key")
    visitor.says(email)


@flow("change a first password, and go on to the protected app")
def must_change_password(run):
    visitor = run.visitor()
    email = run.site.add("--must-change-password")
    visitor.go(run.site.app + "/notes")
    visitor.sign_in(email)
    visitor.says("You must change your password")
    for field, text in (("current", PASSWORD), ("new", NEW_PASSWORD), ("repeated", NEW_PASSWORD)):
        visitor.fill(f"#{field}", text)
    visitor.press("Change password")
    visitor.arrive(run.site.app + "/notes")
    visitor.says(f"{email} at app.home.")


# Protected hosts


@flow("open a protected app, sign in, and be back at its page")
def protected_app(run):
    visitor = run.visitor()
    email = run.site.add()
    visitor.go(run.site.app + "/notes?page=2")
    visitor.sign_in(email)
    visitor.arrive(run.site.app + "/notes?page=2")
    visitor.says(f"{email} at app.home.")
    visitor.says("Cookies: none")


@flow("open a protected app that redirects to a third site")
def third_site(run):
    visitor = run.visitor()
    email = run.site.add()
    visitor.go(run.site.app + "/moved")
    visitor.sign_in(email)
    visitor.arrive("https://moved.other.test/arrived")


@flow("send forms to a protected app from its own page, from a protected host, and from a host that no rule names")
def foreign_form(run):
    visitor = run.visitor()
    email = run.site.add()
    target = run.site.app + "/delete"
    visitor.go(run.site.app + "/")
    visitor.sign_in(email)
    visitor.says(f"{email} at app.home.")
    for host in (run.site.app, run.site.cal):
        visitor.go(f"{host}/form?to={target}")
        visitor.press("Send")
        visitor.arrive(target)
        visitor.says(f"{email} at app.home.")
    visitor.statuses = {403}
    visitor.go(f"{run.site.open}/form?to={target}")
    visitor.press("Send")
    visitor.arrive(target)
    visitor.until("a refusal", lambda: visitor.page.inner_text("body") and "at app.home." not in visitor.text)


@flow("use two protected hosts with one sign-in, and a third with its own")
def two_hosts(run):
    visitor = run.visitor()
    email = run.site.add()
    visitor.go(run.site.app + "/")
    visitor.sign_in(email)
    visitor.says(f"{email} at app.home.")
    visitor.go(run.site.cal + "/")
    visitor.says(f"{email} at cal.home.")
    visitor.go(run.site.apart + "/week")
    visitor.sign_in(email)
    visitor.arrive(run.site.apart + "/week")
    visitor.says(f"{email} at apart.")
    sessions = {(cookie["name"], cookie["domain"]) for cookie in visitor.context.cookies() if "session" in cookie["name"]}
    check({domain for _, domain in sessions} == {f".home.{run.site.domain}", f"apart.{run.site.domain}"}, f"{sessions}")
    # The sign-out of one is not that of the other.
    visitor.go(run.site.account)
    visitor.page.locator("header button", has_text="Sign out").click()
    visitor.says("You are signed out.")
    visitor.go(run.site.cal + "/")
    check(visitor.page.locator("#password").count() == 1, "the other host of the cookie asks again")
    visitor.go(run.site.apart + "/week")
    visitor.says(f"{email} at apart.")


# OAuth


@flow("allow an OAuth client, and deny it")
def first_consent(run):
    visitor = run.visitor()
    email = run.site.add()
    visitor.go(run.authorize())
    visitor.sign_in(email)
    visitor.press("Do not allow")
    check(visitor.arrived().get("error") == "access_denied", "the client is told")
    visitor.go(run.authorize())
    visitor.press("Allow")
    claims, _ = run.claims(visitor.arrived())
    check(claims["aud"] == "wiki", f"{claims}")


@flow("sign in to a client that was allowed before, with a new browser profile")
def repeated_consent(run):
    email, _ = run.allowed()
    visitor = run.visitor()
    visitor.go(run.authorize())
    visitor.sign_in(email)
    run.claims(visitor.arrived())


@flow("the same at the identity provider")
def repeated_consent_provider(run):
    email = run.site.fresh()
    for round in range(2):
        visitor = run.visitor()
        visitor.go(run.authorize())
        visitor.at_provider(email)
        if round == 0:
            visitor.press("Allow")
        run.claims(visitor.arrived())


@flow("confirm the sign-in for a client (`prompt=login`)")
def prompt_login(run):
    _, visitor = run.allowed()
    visitor.go(run.authorize(prompt="login"))
    visitor.says("Confirm that it is you")
    visitor.sign_in(None, button="Confirm")
    run.claims(visitor.arrived())


@flow("the same for a client that asks how long ago (`max_age`)")
def max_age(run):
    _, visitor = run.allowed()
    visitor.go(run.authorize(max_age="3600"))
    run.claims(visitor.arrived())
    visitor.go(run.authorize(max_age="0"))
    visitor.sign_in(None, button="Confirm")
    run.claims(visitor.arrived())


@flow("sign in with two factors for a client (`acr_values`)")
def acr_values(run):
    email, visitor = run.site.fresh(), run.visitor()
    visitor.go(run.authorize())
    visitor.at_provider(email)
    visitor.press("Allow")
    check(run.claims(visitor.arrived())[0]["acr"] == "single-factor", "one factor is one")
    visitor.go(run.authorize(acr_values="multi-factor"))
    visitor.at_provider(email, "two")
    claims, _ = run.claims(visitor.arrived())
    check(claims["acr"] == "multi-factor", f"{claims}")


@flow("allow a client that wants the answer as a form (`response_mode=form_post`), twice")
def form_post(run):
    visitor = run.visitor()
    email = run.site.add()
    for round in range(2):
        visitor.go(run.authorize(response_mode="form_post"))
        if "sign-in" in visitor.page.url:
            visitor.sign_in(email)
        if round == 0:
            visitor.press("Allow")
        arrived = visitor.arrived()
        check(arrived["method"] == "POST", f"{arrived}")
        run.claims(arrived)


@flow("refuse such a client")
def form_post_refusal(run):
    _, visitor = run.signed_in()
    visitor.go(run.authorize(response_mode="form_post"))
    visitor.press("Do not allow")
    arrived = visitor.arrived()
    check(arrived["method"] == "POST" and arrived["error"] == "access_denied", f"{arrived}")
    check(arrived["state"] == "a state" and "code" not in arrived, f"{arrived}")


@flow("refuse and allow a client that registered itself, which is called unverified each time")
def unverified_client(run):
    _, visitor = run.signed_in()
    client = run.site.register(
        client_name="Surprise", redirect_uris=["https://wiki.other.test/callback"], token_endpoint_auth_method="none")
    for decision in ("Do not allow", "Allow", "Allow"):
        visitor.go(run.authorize(client))
        visitor.says("This app is unverified.")
        visitor.press(decision)
        arrived = visitor.arrived()
        if decision == "Allow":
            run.claims(arrived, client)
        else:
            check(arrived.get("error") == "access_denied", f"{arrived}")


@flow("open a client that is not for the account, sign out there, and continue as somebody who may sign in to it")
def not_admitted(run):
    _, visitor = run.signed_in()
    administrator = run.site.add("--admin")
    visitor.statuses = {403}
    visitor.go(run.authorize("staff"))
    visitor.says("You may not sign in to Staff")
    visitor.press("Not you? Sign out")
    visitor.says("You are signed out.")
    visitor.statuses = set()
    visitor.sign_in(administrator)
    visitor.press("Allow")
    run.claims(visitor.arrived(), "staff")


@flow("return to an app on the device, at a private-use scheme")
def private_scheme(run):
    visitor = run.visitor()
    visitor.schemes = ("com.example.notes",)
    email = run.site.add()
    visitor.go(run.authorize("notes"))
    visitor.sign_in(email)
    visitor.press("Allow")
    # Firefox stays at the page with the link, because no program has the scheme here.
    link = visitor.page.locator("a[href^='com.example.notes:/callback?code=']")
    visitor.until("the app's link", lambda: visitor.left or link.count() == 1)


@flow("allow a television with its code, after a wrong code")
def device(run):
    _, visitor = run.signed_in()
    asked = run.site.post("/oauth2/device_authorization", client_id="tv", scope="openid")
    visitor.go(run.site.id + "/oauth2/device")
    visitor.statuses = {404}
    visitor.fill("#user_code", "BBBB-BBBB")
    visitor.press("Continue")
    visitor.says("This code is not valid")
    visitor.statuses = set()
    visitor.go(asked["verification_uri_complete"])
    visitor.press("Continue")
    visitor.says("Allow Television?")
    visitor.press("Allow")
    visitor.says("You allowed Television")
    tokens = run.site.post(
        "/oauth2/token", grant_type="urn:ietf:params:oauth:grant-type:device_code", device_code=asked["device_code"],
        client_id="tv")
    check("access_token" in tokens, f"the device got {tokens}")


# Sign-out


@flow("be signed out by a client, with and without a question, and return to it")
def client_sign_out(run):
    email, visitor = run.signed_in()
    visitor.go(run.authorize())
    visitor.press("Allow")
    _, token = run.claims(visitor.arrived())
    leave = f"{run.site.id}/oauth2/end_session?" + urllib.parse.urlencode(
        {"client_id": "wiki", "post_logout_redirect_uri": "https://wiki.other.test/signed-out", "state": "left"})
    visitor.go(leave)
    visitor.press("Sign out")
    check(visitor.arrived("/signed-out")["state"] == "left", "the client gets its state")
    visitor.go(run.authorize())
    visitor.sign_in(email)
    _, token = run.claims(visitor.arrived())
    visitor.go(f"{leave}&id_token_hint={token}")
    visitor.arrived("/signed-out")
    visitor.go(run.site.account)
    check(visitor.page.locator("#password").count() == 1, "the browser is signed out")


@flow("sign out on the pages")
def sign_out(run):
    email, visitor = run.signed_in()
    visitor.page.locator("header button", has_text="Sign out").click()
    visitor.says("You are signed out.")
    visitor.sign_in(email)
    visitor.arrive(run.site.account)


# The account


@flow("change the password on the account page")
def change_password(run):
    email, visitor = run.signed_in()
    for field, text in (("current", PASSWORD), ("new", NEW_PASSWORD), ("repeated", NEW_PASSWORD)):
        visitor.fill(f"#{field}", text)
    visitor.press("Change password")
    visitor.says("Your password is changed")
    other = run.visitor()
    other.go(run.site.account)
    other.sign_in(email, NEW_PASSWORD)
    other.arrive(run.site.account)


@flow("set a PIN, and remove it")
def pin(run):
    _, visitor = run.signed_in()
    for field in ("pin", "repeated_pin"):
        visitor.fill(f"#{field}", "424242")
    visitor.press("Set PIN")
    visitor.says("Your PIN is set.")
    visitor.press("Remove PIN")
    visitor.says("Remove your PIN?")
    # The address of the question, opened again, leads to its page.
    visitor.go(visitor.page.url)
    visitor.arrive(run.site.account)
    visitor.press("Remove PIN")
    visitor.page.locator("main button.harm", has_text="Remove").click()
    visitor.says("Your PIN is removed.")


@flow("end the session of another device, and sign out everywhere else")
def end_sessions(run):
    email, visitor = run.signed_in()
    others = [run.visitor() for _ in range(2)]
    for other in others:
        other.go(run.site.account)
        other.sign_in(email)
        other.arrive(run.site.account)
    visitor.go(run.site.account)
    visitor.page.locator("button[aria-label^='Sign out: ']").first.click()
    visitor.says("The device is signed out.")
    visitor.press("Sign out everywhere else")
    visitor.page.locator("main button.harm").first.click()
    visitor.says("Every other device is signed out")
    for other in others:
        other.go(run.site.account)
        check(other.page.locator("#password").count() == 1, "the other devices are signed out")


@flow("remove the access of a client")
def remove_access(run):
    _, visitor = run.allowed()
    visitor.go(run.site.account)
    visitor.press("Remove access")
    visitor.says("The app has no access to your account any more.")


# Administration


# The buttons of tables that are beyond the edge of their table or of the window, and the window itself if it scrolls sideways.
HIDDEN_BUTTONS = """
() => {
    const width = document.documentElement.clientWidth;
    const hidden = [...document.querySelectorAll('td button, td .button')].filter(button => {
        const [box, table] = [button, button.closest('.table')].map(element => element.getBoundingClientRect());
        return box.left < table.left || box.right > Math.min(table.right, width);
    }).map(button => button.innerText);
    return document.documentElement.scrollWidth > width ? [...hidden, 'the window'] : hidden;
}
"""


@flow("look at every page of the administration, disable a person, and add one")
def administration(run):
    other = run.site.add()
    _, visitor = run.signed_in("--admin")
    run.site.register(client_name="A client with a rather long name", redirect_uris=["https://client.example/callback"],
                      token_endpoint_auth_method="none")
    for page in ("", "sessions", "clients", "providers", "failures"):
        visitor.go(f"{run.site.id}/latch/admin/{page}".rstrip("/"))
        for width in (720, 1000, 1440):
            visitor.page.set_viewport_size({"width": width, "height": 800})
            hidden = visitor.page.evaluate(HIDDEN_BUTTONS)
            check(not hidden, f"every button of '{page}' is visible at {width} pixels: {hidden}")
    visitor.go(run.site.id + "/latch/admin")
    visitor.fill("#q", other)
    visitor.page.keyboard.press("Enter")
    visitor.page.locator("td a", has_text=other).first.click()
    visitor.press("Disable")
    visitor.page.locator("main button.harm", has_text="Disable").click()
    visitor.says("The person is disabled and signed out everywhere.")
    visitor.go(run.site.id + "/latch/admin")
    visitor.fill("main #email", "invited-" + other)
    visitor.page.locator("main form[method=post] button", has_text="Add").click()
    visitor.says("The person is added")


# What browsers and people do besides


@flow("press the buttons of all forms twice")
def double_click(run):
    visitor = run.visitor()
    # The browser gives up the first copy.
    visitor.may_abort = True
    email = run.site.add()
    visitor.go(run.site.account)
    visitor.fill("#username", email)
    visitor.fill("#password", PASSWORD)
    visitor.press_twice("Sign in")
    visitor.arrive(run.site.account)
    others = visitor.page.locator("button[aria-label^='Sign out: ']").count()
    check(others == 0, f"the sign-in made {others} sessions more")
    visitor.go(run.authorize())
    visitor.press_twice("Allow")
    run.claims(visitor.arrived())
    asked = run.site.post("/oauth2/device_authorization", client_id="tv", scope="openid")
    visitor.go(asked["verification_uri_complete"])
    visitor.press_twice("Continue")
    visitor.says("Allow Television?")
    visitor.press_twice("Allow")
    visitor.says("You allowed Television")
    visitor.go(run.site.account)
    for field, text in (("current", PASSWORD), ("new", NEW_PASSWORD), ("repeated", NEW_PASSWORD)):
        visitor.fill(f"#{field}", text)
    visitor.press_twice("Change password")
    visitor.says("Your password is changed")
    visitor.go(f"{run.site.id}/oauth2/end_session?" + urllib.parse.urlencode(
        {"client_id": "wiki", "post_logout_redirect_uri": "https://wiki.other.test/signed-out"}))
    visitor.press_twice("Sign out")
    visitor.arrived("/signed-out")
    visitor.go(run.site.account)
    visitor.press_twice("Sign in at home")
    visitor.arrive("http://127.0.0.1")
    visitor.fill("#email", email := run.site.fresh())
    visitor.double_click(visitor.page.locator("button[value=one]"))
    visitor.arrive(run.site.account)
    visitor.says(email)
    visitor.press_twice("Sign out", "header")
    visitor.until("the sign-in page", lambda: visitor.page.locator("#password").count() == 1)


@flow("sign in to a client and to a protected app in tabs that were opened before, and reload one")
def second_tab(run):
    visitor = run.visitor()
    email = run.site.add()
    addresses = [run.authorize(), run.site.app + "/notes", run.site.cal + "/week"]
    tabs = [visitor.page, *(visitor.context.new_page() for _ in addresses[1:])]
    for tab, address in zip(tabs, addresses):
        visitor.page = tab
        visitor.go(address)
    client, app, reloaded = tabs
    for tab in (app, client):
        tab.bring_to_front()
        visitor.page = tab
        visitor.sign_in(email)
        visitor.until("the way on", lambda: tab.locator("#password").count() == 0)
    visitor.press("Allow")
    run.claims(visitor.arrived())
    visitor.page = app
    visitor.arrive(run.site.app + "/notes")
    visitor.page = reloaded
    reloaded.bring_to_front()
    reloaded.reload()
    visitor.says("You are signed in")
    visitor.press("Continue")
    visitor.arrive(run.site.cal + "/week")
    visitor.says(f"{email} at cal.home.")


@flow("send the sign-in form too late, and once more")
def late_form(run):
    visitor = run.visitor()
    email = run.site.add()
    visitor.go(run.site.app + "/notes")
    # As when the browser has removed it.
    visitor.context.clear_cookies()
    visitor.statuses = {403}
    visitor.sign_in(email)
    visitor.says("page was open for too long")
    visitor.statuses = set()
    visitor.sign_in(email)
    visitor.arrive(run.site.app + "/notes")


@flow("decide about a client too late: after the sign-out in another tab, and when the request has expired")
def late_decision(run):
    email, visitor = run.signed_in()
    visitor.go(run.authorize())
    first = visitor.page
    other = visitor.context.new_page()
    other.goto(run.site.account)
    other.locator("header button", has_text="Sign out").click()
    other.get_by_text("You are signed out.").wait_for()
    visitor.statuses = {400, 401, 403}
    first.bring_to_front()
    visitor.press("Allow")
    visitor.says("You were signed out after you had opened the page. Nothing was changed.")
    check(not first.url.startswith("https://wiki"), "the decision has no effect")
    visitor.sign_in(email)
    visitor.says("Allow Our wiki?")
    # As the browser removes it.
    visitor.context.clear_cookies(name=re.compile("request"))
    visitor.press("Allow")
    visitor.says("The sign-in has ended")
    visitor.statuses = set()
    visitor.go(run.authorize())
    visitor.press("Allow")
    run.claims(visitor.arrived())


@flow("go back after the sign-in and after the consent, and forward")
def back(run):
    visitor = run.visitor()
    email = run.site.add()
    visitor.go(run.authorize())
    visitor.sign_in(email)
    visitor.says("Allow Our wiki?")
    visitor.page.go_back()
    visitor.until("a page", lambda: visitor.page.locator("main").count() == 1)
    visitor.page.go_forward()
    visitor.says("Allow Our wiki?")
    visitor.press("Allow")
    run.claims(visitor.arrived())
    visitor.statuses = {400, 403}
    visitor.page.go_back()
    visitor.until("a page", lambda: visitor.page.locator("main").count() == 1)


@flow("sign in with cookies blocked: the page says what is wrong")
def blocked_cookies(run):
    email = run.site.add()
    visitor = run.without_cookies()
    visitor.go(run.site.account)
    visitor.statuses = {403}
    visitor.sign_in(email)
    visitor.says("cookie")


@flow("sign in to an allowed client in a private window")
def private_window(run):
    email, _ = run.allowed()
    visitor = run.visitor(run.browsers.one(private=True))
    visitor.go(run.authorize())
    visitor.sign_in(email)
    run.claims(visitor.arrived())


@flow("sign in to a client and to a protected app without scripts")
def no_script(run):
    visitor = run.visitor(java_script_enabled=False)
    email = run.site.add()
    visitor.go(run.site.app + "/notes")
    visitor.sign_in(email)
    visitor.arrive(run.site.app + "/notes")
    visitor.go(run.authorize())
    visitor.press("Allow")
    run.claims(visitor.arrived())
    other = run.visitor(java_script_enabled=False)
    other.go(run.authorize())
    other.sign_in(email)
    run.claims(other.arrived())


@flow("see every page on a phone (360 pixels) in the dark, where nothing is cut off")
def dark_phone(run):
    browser = run.browsers.one(dark=True)
    size = {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"}
    email = run.site.add("--admin")
    visitor = run.visitor(browser, **size)
    pages = ["/latch/account", "/latch/admin", "/latch/admin/sessions", "/latch/admin/clients", "/latch/admin/providers",
             "/latch/admin/failures", "/oauth2/device", "/latch/sign-in", "/latch/sign-in?again=1"]
    visitor.go(run.site.account)
    look(visitor, "the sign-in page")
    visitor.sign_in(email)
    visitor.arrive(run.site.account)
    for page in pages:
        visitor.go(run.site.id + page)
        look(visitor, page)
    visitor.go(run.authorize())
    look(visitor, "the consent page")


def look(visitor, name):
    """A dark page that is no wider than the screen."""
    seen = visitor.page.evaluate(
        "() => { const root = document.documentElement; const [r, g, b] ="
        " getComputedStyle(document.body).backgroundColor.match(/[0-9.]+/g).map(Number);"
        " return { wide: root.scrollWidth - root.clientWidth, light: (r + g + b) / 3,"
        " dark: matchMedia('(prefers-color-scheme: dark)').matches } }")
    check(seen["wide"] <= 0, f"{name} is no wider than the screen: {seen}")
    check(seen["dark"] and seen["light"] < 100, f"{name} is dark: {seen}")


def matrix():
    rows = [f"| `{name}` | {title} | nginx, Caddy | nginx, Caddy |" for name, (title, _) in FLOWS.items()]
    return "\n".join(["| flow | what a person does | Chromium | Firefox |", "|---|---|---|---|", *rows, ""])


def gone_through(function, run):
    """Goes through a flow: "passed", or what was wrong as a JSON text."""
    wrong = []
    try:
        try:
            function(run)
        finally:
            run.end()
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [f"{frame.name}:{frame.lineno}" for frame in frames if "PageVisit" in frame.filename]
        wrong.append(f"{error} ({' '.join(lines)})")
    wrong += run.problems
    return json.dumps("; ".join(wrong)) if wrong else "passed"


def main():
    if sys.argv[1] == "--matrix":
        return print(matrix(), end="")
    name, plan = sys.argv[1], json.loads(sys.argv[2])
    sites = [Site(plan, site, name) for site in plan["sites"]]
    with sync_playwright() as playwright:
        browsers = Browsers(playwright, name, plan["tunnels"])
        for key, (_, function) in FLOWS.items():
            if sys.argv[3:] and key not in sys.argv[3:]:
                continue
            for site in sites:
                print(f"{site.name} {key}: {gone_through(function, Run(browsers, site))}", flush=True)
        browsers.close()


if __name__ == "__main__":
    main()
