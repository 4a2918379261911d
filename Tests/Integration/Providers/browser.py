#!/usr/bin/env python3
"""A headless browser that does what alice would do: logs in, consents (or declines), confirms a logout.

usage: browser.py [--deny] [--follow] [--cookies FILE] [--user NAME] [--password WORD] [--trace FILE] URL

URL is an authorization, device verification or end-session URL of one of the test providers, the one-time address of a
client that leads to one, or glewlwyd's list of logins that wait for alice (BASE/api/PLUGIN/ciba_user_list/). Walks through the
provider's pages until a redirect leaves it, and prints that redirect (nothing, when the way ends on a page of the
provider, as the device grant's does). Status 1, with the page's text, when an authorization does not lead back to
the client or the provider answers with an error.

--deny          declines where consent is asked for
--follow        also opens the redirect, when it is http(s): the client's loopback listener waits for it. The form of
                the listener's page is sent, as the page's script would do: with the fragment, or a form that was posted
--cookies FILE  keeps the session there, readable by the owner alone: a logout needs the login's session
"""
import argparse
import html.parser
import http.client
import json
import os
import re
import ssl
import sys
import typing
import urllib.parse

TIMEOUT = 20
MAXIMUM_STEPS = 15
ACCEPT = ("yes", "allow", "accept", "authorize", "continue", "log out", "logout")
DENY = ("deny", "cancel", "reject", "decline", "refuse")


class Failure(Exception):
    """The way through the provider's pages ended where it should not."""


class Form:
    """One HTML form: where it goes and what it sends."""

    def __init__(self, attributes):
        self.action = attributes.get("action") or ""
        self.method = (attributes.get("method") or "get").upper()
        self.fields = {}   # name: value
        self.kinds = {}    # name: type of the input
        self.buttons = []  # (name, value) of submit buttons that have a name

    @property
    def asks_for_password(self):
        return "password" in self.kinds.values()

    def add(self, tag, attributes):
        name, value = attributes.get("name"), attributes.get("value") or ""
        kind = (attributes.get("type") or ("submit" if tag == "button" else "text")).lower()
        if not name:
            return
        if kind == "submit":
            self.buttons.append((name, value))
        elif kind not in ("checkbox", "radio") or "checked" in attributes:
            # Several checkboxes may have one name.
            self.fields[name] = [*self.fields.get(name, []), value] if kind == "checkbox" else value
            self.kinds[name] = kind

    def button(self, words):
        """The first button whose name or value has one of the words in it, by the order of the words."""
        matches = (button for word in words for button in self.buttons if word in " ".join(button).lower())
        return next(matches, None)


class FormParser(html.parser.HTMLParser):
    """The forms of a page."""

    def __init__(self, text):
        super().__init__()
        self.forms = []
        self.is_inside = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag == "form":
            self.forms.append(Form(dict(attributes)))
            self.is_inside = True
        elif self.is_inside and tag in ("input", "button", "textarea", "select"):
            self.forms[-1].add(tag, dict(attributes))

    def handle_endtag(self, tag):
        if tag == "form":
            self.is_inside = False


class Cookies:
    """Cookies by host and port (a browser would share them between ports; two providers here must not)."""

    def __init__(self, path=None):
        self.path, self.sites = path, {}
        if path and os.path.exists(path) and os.path.getsize(path):
            with open(path) as file:
                self.sites = json.load(file)

    def header(self, site):
        return "; ".join(f"{name}={value}" for name, value in self.sites.get(site, {}).items())

    def store(self, site, lines):
        cookies = self.sites.setdefault(site, {})
        for line in lines:
            name, _, value = line.split(";")[0].strip().partition("=")
            if value in ("", '""') or re.search(r"max-age=0\b", line, re.IGNORECASE):
                cookies.pop(name, None)
            else:
                cookies[name] = value

    def save(self):
        if self.path:
            descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w") as file:
                json.dump(self.sites, file)


class Step(typing.NamedTuple):
    """The next request to make."""

    url: str
    method: str = "GET"
    body: str | None = None


class Reply:
    def __init__(self, url, reply):
        self.url, self.status = url, reply.status
        self.text = reply.read().decode(errors="replace")
        location = reply.headers.get("Location")
        is_redirect = reply.status in (301, 302, 303, 307, 308)
        self.location = urllib.parse.urljoin(url, location) if is_redirect and location else None

    def failure(self, why):
        text = re.sub(r"<(script|style).*?</\1>|<[^>]*>", " ", self.text, flags=re.DOTALL)
        return Failure(f"{why}: {self.url} answered {self.status} {' '.join(text.split())[:500]}")


class Browser:
    def __init__(self, cookies, user="alice", password="password", deny=False, trace=None):
        self.cookies, self.user, self.password = cookies, user, password
        self.deny, self.trace = deny, trace

    def send(self, method, url, body=None, content_type="application/x-www-form-urlencoded", origin=None):
        """One request; redirects are the caller's business."""
        parts = urllib.parse.urlsplit(url)
        if parts.scheme == "https":
            # The authority was made for this test run; trusting it is tested on the client, not here.
            context = ssl._create_unverified_context()
            connection = http.client.HTTPSConnection(parts.hostname, parts.port, timeout=TIMEOUT, context=context)
        else:
            connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=TIMEOUT)
        headers = {"Accept": "text/html,application/json", "Referer": url}
        if cookie := self.cookies.header(parts.netloc):
            headers["Cookie"] = cookie
        if body is not None:
            headers["Content-Type"] = content_type
        if origin:
            headers["Origin"] = origin
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request(method, target, body, headers)
        response = connection.getresponse()
        reply = Reply(url, response)
        connection.close()
        self.cookies.store(parts.netloc, response.headers.get_all("Set-Cookie") or [])
        if self.trace:
            with open(self.trace, "a", encoding="utf-8") as file:
                print(method, url, reply.status, file=file)
        return reply

    def send_json(self, method, url, value=None):
        """A call of a provider's own API, which must succeed."""
        reply = self.send(method, url, None if value is None else json.dumps(value), "application/json")
        if reply.status != 200:
            raise reply.failure(f"{method} failed")

    def decide(self, url):
        """Confirms, or refuses, every login that the provider asks about."""
        parts = urllib.parse.urlsplit(url)
        credentials = {"username": self.user, "password": self.password}
        self.send_json("POST", f"{parts.scheme}://{parts.netloc}/api/auth/", credentials)
        reply = self.send("GET", url)
        waiting = json.loads(reply.text) if reply.status == 200 else []
        if not waiting:
            raise reply.failure("nothing to decide")
        for request in waiting:
            self.walk(request["cancel_uri" if self.deny else "connect_uri"])

    def enter(self, url):
        """The provider's page that a client's one-time address leads to; any other address is that page itself.

        The way goes on as it does from the address: the page, with the client's cookie in the jar.
        """
        parts = urllib.parse.urlsplit(url)
        is_client = parts.scheme == "http" and not parts.query and re.search(r"/[A-Za-z0-9_-]{43}$", parts.path)
        if not is_client:
            return url
        reply = self.send("GET", url)
        if not reply.location:
            raise reply.failure("the client's address leads nowhere")
        return reply.location

    def walk(self, url):
        """Goes through the provider's pages; the step that leaves it, or None and an end on one of its pages."""
        url = self.enter(url)
        sites = {urllib.parse.urlsplit(url).netloc}
        must_leave = is_authorization(url)
        step = Step(url)
        for _ in range(MAXIMUM_STEPS):
            reply = self.send(step.method, step.url, step.body)
            if reply.location and is_on(sites, reply.location) and "/login.html?" in reply.location:
                step = Glewlwyd(self, reply.location, came_from=step.url).answer()
            elif reply.location:
                step = step._replace(url=reply.location) if reply.status in (307, 308) else Step(reply.location)
            else:
                step = self.answer(reply)
            if step is None:
                if must_leave or reply.status >= 400:
                    raise reply.failure("stranded")
                return None
            if not is_on(sites, step.url):
                # A proxy sends the user on to the authorization endpoint of another provider.
                if not is_authorization(step.url):
                    return step
                sites.add(urllib.parse.urlsplit(step.url).netloc)
        raise Failure(f"no end after {MAXIMUM_STEPS} steps: {step.url}")

    def follow(self, step):
        """Opens the redirect. A page with a form gets the fragment, or repeats what it got, as its script would see to."""
        url, _, fragment = step.url.partition("#")
        reply = self.send(step.method, url, step.body)
        forms = FormParser(reply.text).forms
        if forms and (fragment or step.body):
            parts = urllib.parse.urlsplit(url)
            body = urllib.parse.urlencode({name: value or fragment for name, value in forms[0].fields.items()})
            self.send("POST", url, body, origin=f"{parts.scheme}://{parts.netloc}")

    def answer(self, reply):
        """Sends the page's form, or nothing. With response_mode=form_post the form leads to the client."""
        forms = [form for form in FormParser(reply.text).forms if form.method == "POST"]
        logins = [form for form in forms if form.asks_for_password]
        others = [form for form in forms if form.fields or form.buttons]
        if self.deny:
            # Some pages have a form of its own for each decision.
            others.sort(key=lambda form: form.button(DENY) is None)
        form = next(iter(logins + others), None)
        return form and self.fill(form, reply.url)

    def fill(self, form, page):
        """The step that sends the filled form."""
        values = dict(form.fields)
        for name, kind in form.kinds.items():
            if kind == "password":
                values[name] = self.password
            elif kind != "hidden" and name in ("username", "login", "user", "email"):
                values[name] = self.user
        if self.deny and not form.asks_for_password:
            # Some forms decline by what is sent without the accepting button.
            button = form.button(DENY)
        else:
            button = form.button(ACCEPT) or next(iter(form.buttons), None)
        if button:
            values[button[0]] = button[1]
        body = urllib.parse.urlencode(values, doseq=True)
        return Step(urllib.parse.urljoin(page, form.action or page), form.method, body)


class Glewlwyd:
    """glewlwyd's pages are a script that talks to a JSON API; this is what the script does."""

    def __init__(self, browser, login_page, came_from):
        parts = urllib.parse.urlsplit(login_page)
        self.browser, self.came_from = browser, came_from
        self.api = f"{parts.scheme}://{parts.netloc}/api"
        self.query = dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True))

    def answer(self):
        """Deals with the page; None when the way ends on it."""
        prompt = self.query.get("prompt", "")
        if prompt == "end_session":
            return self.end_session()
        if message := self.query.get("ciba_message"):
            if message != ("cancelled" if self.browser.deny else "complete"):
                raise Failure(f"the provider says {message}")
            return None
        if prompt.startswith("device"):  # deviceComplete, or an error that is for the user to read
            if prompt != "deviceComplete":
                raise Failure(f"the provider says {prompt}")
            return None
        return self.decline() if self.browser.deny else self.log_in()

    def log_in(self):
        credentials = {"username": self.browser.user, "password": self.browser.password}
        self.browser.send_json("POST", f"{self.api}/auth/", credentials)
        client = urllib.parse.quote(self.query["client_id"])
        self.browser.send_json("PUT", f"{self.api}/auth/grant/{client}", {"scope": self.query["scope"]})
        # Each type of authorization details is consented to by itself, at the OpenID provider.
        for kind in filter(None, self.query.get("authorization_details", "").split(",")):
            self.browser.send_json("PUT", f"{self.api}/{self.query['plugin']}/rar/{client}/{urllib.parse.quote(kind)}/1")
        # On its way to the login page a device's verification loses the user code from the callback URL.
        is_device = urllib.parse.urlsplit(self.came_from).path.endswith("/device")
        target = self.came_from if is_device else self.query["callback_url"]
        return Step(target + ("&" if "?" in target else "?") + "g_continue")

    def decline(self):
        """The page's "cancel" button answers the client by itself."""
        request = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.query["callback_url"]).query))
        answer = {"error": "access_denied", "state": request.get("state", "")}
        return Step(request["redirect_uri"] + "?" + urllib.parse.urlencode(answer))

    def end_session(self):
        plugin, session = self.query["plugin"], self.query["sid"]
        self.browser.send_json("DELETE", f"{self.api}/{plugin}/session/{session}")
        self.browser.send_json("DELETE", f"{self.api}/auth/")  # single sign-on ends too
        target = self.query.get("callback_url")
        return Step(target) if target else None


def is_on(sites, url):
    parts = urllib.parse.urlsplit(url)
    return parts.scheme in ("http", "https") and parts.netloc in sites


def is_authorization(url):
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)
    return "response_type" in query or "request_uri" in query


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("url")
    parser.add_argument("--deny", action="store_true")
    parser.add_argument("--follow", action="store_true")
    parser.add_argument("--cookies")
    parser.add_argument("--user", default="alice")
    parser.add_argument("--password", default="password")
    parser.add_argument("--trace")
    arguments = parser.parse_args()
    cookies = Cookies(arguments.cookies)
    browser = Browser(cookies, arguments.user, arguments.password, arguments.deny, arguments.trace)
    try:
        decides = "/ciba_user_list" in arguments.url
        last = browser.decide(arguments.url) if decides else browser.walk(arguments.url)
        cookies.save()
        if last:
            print(last.url)
        if last and arguments.follow and last.url.startswith(("http://", "https://")):
            browser.follow(last)
    except (Failure, OSError, http.client.HTTPException) as failure:
        print(f"browser.py: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
