#!/usr/bin/env python3
"""Logs alice in with a real browser: a headless Chromium, driven over WebDriver (https://www.w3.org/TR/webdriver2/).

usage: chromium.py [--provider URL] [--screenshot FILE.png] [--user NAME] [--password WORD] [--timeout SECONDS] URL

Opens an authorization URL, or a client's one-time address that leads to a page of the provider, types into the provider's own login page, accepts its consent page, and waits until the
browser has arrived on another site: the client's loopback page. Prints that page's URL (without its query), title,
visible text and first link as one line of JSON. Status 1, with the page it is stuck on, when that does not happen in
time.
"""
import argparse
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key that WebDriver gives to element references
# The buttons that a user would click, in this order: django-oauth-toolkit's, then those of glewlwyd's pages.
PROCEED = """
const visible = e => e.offsetParent !== null && !e.disabled && !e.dataset.pressed;
const words = ["authorize", "log in", "login", "grant", "continue", "accept", "ok"];
const buttons = [...document.querySelectorAll("button, input[type=submit], a.btn")].filter(visible);
const label = e => ((e.value || "") + " " + e.innerText).trim().toLowerCase();
for (const word of words) {
  const match = buttons.find(e => (" " + label(e) + " ").includes(" " + word + " "));
  if (match) return match;
}
return null;
"""


class Failure(Exception):
    """The browser did not do what was asked."""

    @property
    def is_of_a_page_that_changed(self):
        """Whether the element went away between the look for it and its use, for which chromedriver has several words."""
        return str(self).startswith(
            ("stale element", "element not interactable", "element click intercepted")
        ) or "does not belong to the document" in str(self)


class Session:
    """A chromedriver with one browser session; both end, and the profile is removed, on leaving the context."""

    def __init__(self, deadline):
        self.deadline = deadline
        self.driver, self.base, self.id = None, None, None

    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix="authstate-chromium.")
        try:
            self.start_driver()
            self.start_browser()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.id:
            try:
                self.call("DELETE", "")
            except (Failure, OSError):
                pass  # the driver's end, below, ends the browser too
        if self.driver:
            self.driver.terminate()
            try:
                self.driver.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self.driver.kill()
                self.driver.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def start_driver(self):
        """Starts chromedriver on a port of its own choosing, which it prints."""
        path = shutil.which("chromedriver")
        if path is None:
            raise Failure("chromedriver is not installed: run install.sh beside this file")
        log = os.path.join(self.profile, "driver.log")
        with open(log, "wb") as output:
            self.driver = subprocess.Popen([path, "--port=0"], stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        while time.monotonic() < self.deadline and self.driver.poll() is None:
            with open(log, errors="replace") as file:
                _, marker, rest = file.read().partition("started successfully on port ")
            if marker and "." in rest:
                self.base = f"http://127.0.0.1:{int(rest.split('.')[0])}"
                return
            time.sleep(0.05)
        raise Failure("chromedriver did not start")

    def start_browser(self):
        arguments = [
            "--headless=new", f"--user-data-dir={self.profile}/profile", "--window-size=900,700",
            "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            # Loopback only: every other name fails to resolve.
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE [::1]",
        ]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")  # Chromium refuses its sandbox to root
        capabilities = {
            "browserName": "chrome", "acceptInsecureCerts": True, "goog:chromeOptions": {"args": arguments},
        }
        answer = self.call("POST", "", {"capabilities": {"alwaysMatch": capabilities}}, path="/session")
        self.id = answer["sessionId"]
        self.call("POST", "/timeouts", {"pageLoad": 60000, "script": 20000, "implicit": 0})

    def call(self, method, command, body=None, path=None):
        """One WebDriver command; its value."""
        url = self.base + (path or f"/session/{self.id}{command}")
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
        # On the way out the deadline may be over; the session still has to be closed.
        timeout = max(5, self.deadline - time.monotonic())
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=timeout) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise Failure(f"{value['error']}: {value['message'].splitlines()[0]}") from None

    def script(self, text, *elements):
        """Runs a script in the page, with the elements as its arguments."""
        return self.call("POST", "/execute/sync", {"script": text, "args": elements})

    def find(self, selector):
        """The visible elements that match."""
        found = self.call("POST", "/elements", {"using": "css selector", "value": selector})
        return [element[ELEMENT] for element in found if self.call("GET", f"/element/{element[ELEMENT]}/displayed")]

    def type(self, element, text):
        self.call("POST", f"/element/{element}/clear")
        self.call("POST", f"/element/{element}/value", {"text": text})

    @property
    def url(self):
        return self.call("GET", "/url")

    def page(self):
        return {
            "url": self.url.partition("?")[0].partition("#")[0],
            "hasFragment": "#" in self.url,
            "title": self.call("GET", "/title"),
            "text": self.script("return document.body ? document.body.innerText : ''").strip(),
            "link": self.script("const link = document.querySelector('a'); return link && link.href"),
        }


def log_in(session, url, provider, user, password):
    """Does what the provider's pages ask, until the browser is on another site."""
    site = urllib.parse.urlsplit(provider).netloc
    session.call("POST", "/url", {"url": url})
    while time.monotonic() < session.deadline:
        try:
            if has_arrived(session, site):
                return
            passwords = session.find("input[type=password]")
            if passwords:
                names = session.find("input[name=username], input#username, input[type=text], input[type=email]")
                if names:
                    session.type(names[0], user)
                session.type(passwords[0], password)
            for box in session.find("input[type=checkbox]:not(:checked):enabled"):
                session.call("POST", f"/element/{box}/click")  # scopes to consent to
            button = session.script(PROCEED)
            if button:
                session.call("POST", f"/element/{button[ELEMENT]}/click")
                # One press each on a consent page. A login may have been sent too early, also because its fields came
                # after the look for them: ask the page again.
                session.script(
                    "if (!document.querySelector('input[type=password]')) arguments[0].dataset.pressed = true", button)
        except Failure as failure:
            if not failure.is_of_a_page_that_changed:
                raise
        time.sleep(0.2)
    raise Failure("stuck on " + json.dumps(session.page()))


def has_arrived(session, site):
    is_elsewhere = urllib.parse.urlsplit(session.url).netloc not in (site, "")
    return is_elsewhere and session.script("return document.readyState") == "complete"


def save_screenshot(session, path):
    with open(path, "wb") as file:
        file.write(base64.b64decode(session.call("GET", "/screenshot")))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("url")
    parser.add_argument("--provider")
    parser.add_argument("--screenshot")
    parser.add_argument("--user", default="alice")
    parser.add_argument("--password", default="password")
    parser.add_argument("--timeout", type=float, default=60)
    arguments = parser.parse_args()
    try:
        with Session(time.monotonic() + arguments.timeout) as session:
            try:
                log_in(session, arguments.url, arguments.provider or arguments.url, arguments.user, arguments.password)
            finally:
                if arguments.screenshot:
                    save_screenshot(session, arguments.screenshot)
            print(json.dumps(session.page()))
    except (Failure, OSError) as failure:
        print(f"chromium.py: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
