"""Starts the real Chromium and the real Firefox of the system, both steered by Playwright."""

import json
import shutil
import tempfile
from pathlib import Path

NAMES = ("chromium", "firefox")
# Nothing is fetched for the browser itself.
QUIET_FIREFOX = {
    "services.settings.server": "data:,#remote-settings-dummy/v1", "browser.search.update": False,
    "extensions.systemAddon.update.enabled": False, "app.normandy.enabled": False,
}


class Browsers:
    """The programs of one kind of browser that run. A person's profile is a context, so people share a program that is set up
    in the same way."""

    def __init__(self, playwright, name, proxy):
        self.playwright, self.name, self.proxy = playwright, name, proxy
        self.running = {}

    def one(self, private=False, dark=False):
        """A browser that is set up in this way."""
        # A context of Chromium is always a private window, and chooses its colours.
        options = {"private": private, "dark": dark} if self.name == "firefox" else {}
        key = tuple(options.items())
        if key not in self.running:
            self.running[key] = launch(self.playwright, self.name, self.proxy, **options)
        return self.running[key]

    def without_cookies(self):
        """A new browser that blocks cookies, which is its only context."""
        return launch(self.playwright, self.name, self.proxy, cookies=False)

    def close(self):
        for browser in self.running.values():
            browser.close()


def launch(playwright, name, proxy=None, cookies=True, private=False, dark=False):
    """Starts a browser. `proxy` is the port of a proxy on 127.0.0.1 for everything but loopback addresses. Without `cookies`
    the result is its only context, because Chromium blocks cookies only in a profile.

    Firefox is steered over WebDriver BiDi, which cannot choose colours: `dark` does. The contexts of Chromium are always
    private windows.
    """
    if name == "firefox":
        settings = dict(QUIET_FIREFOX)
        if proxy:
            settings["network.proxy.type"] = 1
            for scheme in ("http", "ssl"):
                settings |= {f"network.proxy.{scheme}": "127.0.0.1", f"network.proxy.{scheme}_port": proxy}
        if not cookies:
            settings["network.cookie.cookieBehavior"] = 2
        if private:
            settings["browser.privatebrowsing.autostart"] = True
        if dark:
            settings["layout.css.prefers-color-scheme.content-override"] = 0
        browser = playwright.firefox.launch(
            executable_path=shutil.which("firefox-esr"), channel="moz-firefox", firefox_user_prefs=settings)
        return browser if cookies else browser.new_context(ignore_https_errors=True)
    # Chromium's sandbox does not work as root and in many containers, and all pages here are the test's own.
    arguments = ["--no-sandbox"]
    if proxy:
        arguments.append(f"--proxy-server=http=127.0.0.1:{proxy};https=127.0.0.1:{proxy}")
    options = {"executable_path": shutil.which("chromium"), "args": arguments}
    if cookies:
        return playwright.chromium.launch(**options)
    profile = tempfile.mkdtemp()
    preferences = Path(profile, "Default", "Preferences")
    preferences.parent.mkdir()
    preferences.write_text(json.dumps({"profile": {"default_content_setting_values": {"cookies": 2}}}))
    return playwright.chromium.launch_persistent_context(profile, ignore_https_errors=True, **options)
