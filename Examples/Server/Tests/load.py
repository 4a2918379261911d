#!/usr/bin/env python3
"""Puts three servers that share a PostgreSQL database under load while they fail, and counts the logins that are lost.

usage: load.py [--minutes 10] [--users 2000] [--lifetime 120] [--grace 60] [--rate 400]
       load.py --control --minutes 2 --users 200        shows that lost logins are found

Signs the users in, then requests the profile page of random users from random servers. The page needs a fresh token,
and asks the provider for the user. Every 40 s one server is stopped for 35 s, longer than its leases of 30 s, another
one is killed and started again, and the database restarts without a shutdown. In the middle of the run the database is
killed instead, and its synchronous standby takes over. When all tokens have expired, each user's page is requested once
more. Status 1: a login was lost, a user got another user's page, a signed-in user was asked to sign in, or a server
ended by itself. The logs are kept.

The provider is `authstate provider`. It rotates refresh tokens, and revokes the grant when one is used again after the
grace period. Lifetime (of access tokens) and grace period are in seconds, the rate is in requests a second.

--control stops the standby after the logins, lets no commit wait for it, and gives tokens 20 s and a grace period of
10 s. The failover then forgets renewals. Servers that run remember them, so each is killed and started again: logins
are lost, and the status is 1.

needs: swift build -c release --package-path Examples/Server --product server
       swift build -c release --package-path Examples/CLI --product authstate
       Tests/Integration/Providers/install.sh, for PostgreSQL
"""
import argparse
import base64
import collections
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[3]
SERVER = ROOT / "Examples/Server/.build/release/server"
AUTHSTATE = ROOT / "Examples/CLI/.build/release/authstate"
DATABASE = ROOT / "Tests/Integration/Providers/postgresql/start.sh"
THREADS = 32
connections = threading.local()


def send(port, method, path, headers, body=None, generation=0):
    """Sends a request over this thread's connection to a generation of a server; returns status, headers and text."""
    key = f"{port} {generation}"
    connection = connections.__dict__.setdefault(key, http.client.HTTPConnection("127.0.0.1", port, timeout=75))
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()
    except BaseException:
        connections.__dict__.pop(key).close()
        raise


class Site:
    """Three servers that browsers see as one site, and the sessions of its users."""

    def __init__(self, folder, ports, users, environment):
        self.folder, self.ports, self.host = folder, ports, f"127.0.0.1:{ports[0]}"
        self.environment = {**os.environ, **environment, "BASE_URL": f"http://{self.host}", "LOG_LEVEL": "notice"}
        self.processes, self.is_up, self.generations = [None] * 3, [False] * 3, [0] * 3
        self.cookies, self.counts, self.waits = [""] * users, collections.Counter(), []
        self.lock, self.log = threading.Lock(), open(folder / "load.log", "w", buffering=1)

    def note(self, text):
        print(f"{time.time():.2f} {text}", file=self.log)

    def start(self, index):
        with open(self.folder / f"server-{index}.log", "ab") as log:
            self.processes[index] = subprocess.Popen(
                [SERVER], env={**self.environment, "PORT": str(self.ports[index])}, stderr=log)
        while not self.is_up[index]:
            time.sleep(0.1)
            assert self.processes[index].poll() is None, (self.folder / f"server-{index}.log").read_text()
            with contextlib.suppress(OSError):
                self.is_up[index] = send(self.ports[index], "GET", "/healthz", {})[0] == 200

    def interrupt(self, index, number):
        """Kills or stops a server; requests go to the others until it is back, and then over new connections."""
        self.note(f"server-{index} gets {number.name}")
        self.is_up[index] = False
        self.generations[index] += 1
        self.processes[index].send_signal(number)

    def restart(self, index):
        self.interrupt(index, signal.SIGKILL)
        self.processes[index].wait()
        self.start(index)

    def get(self, path, jar, index):
        cookies = "; ".join(f"{name}={value}" for name, value in jar.items())
        headers = {"Host": self.host, "Sec-Fetch-Site": "none", **({"Cookie": cookies} if cookies else {})}
        return send(self.ports[index], "GET", path, headers, generation=self.generations[index])

    def log_in(self, user):
        """Signs a user in with the provider's form; each step is at a random server."""
        jar = {}

        def step(path):
            status, fields, text = self.get(path, jar, random.randrange(3))
            assert status in (302, 303, 307), f"{path}: {status} {text}"
            jar.update(cookie.split(";")[0].split("=", 1) for cookie in fields.get_all("Set-Cookie", []))
            return urllib.parse.urlsplit(fields["Location"])
        page = step("/login")
        form = {"username": f"user-{user}", "password": "secret", "decision": "allow"}
        status, fields, text = send(
            page.port, "POST", page.path, {"Content-Type": "application/x-www-form-urlencoded"},
            f"{page.query}&{urllib.parse.urlencode(form)}")
        assert "/callback?" in fields.get("Location", ""), f"{status} {text}"
        step("/callback?" + urllib.parse.urlsplit(fields["Location"]).query)
        self.cookies[user] = {"__Host-session": jar["__Host-session"]}

    def profile(self, user):
        """Requests a user's profile from a server that is up; counts and returns the kind of answer."""
        generations, begin = list(self.generations), time.monotonic()
        index = random.choice([index for index in range(3) if self.is_up[index]])
        try:
            status, _, text = self.get("/profile", self.cookies[user], index)
            kind = f"{status} {(re.findall('<title>(.*?)</title>', text) or [''])[0]}"
            if kind == "200 Profile":
                kind = "page" if f'<dd id="subject">user-{user}</dd>' in text else "another user's page"
            elif status < 400 or "Please sign in" in kind:
                kind = f"asked to sign in ({kind})"
        except (OSError, http.client.HTTPException) as error:
            kind = type(error).__name__
        wait, is_interrupted = time.monotonic() - begin, self.generations[index] != generations[index]
        with self.lock:
            if kind != "page" and is_interrupted:
                kind += " of a server that was killed or stopped"
            self.counts[kind] += 1
            if kind != "page" or wait > 0.1:
                self.note(f"user-{user} waits {wait:.2f} s for server-{index}: {kind}")
            if kind == "page" and wait > 0.1 and not is_interrupted:
                self.waits.append(wait)
        return kind


def disturb(site, database, options):
    """Stops and kills servers and the database until the time is over; returns how often."""
    done, begin, rounds = collections.Counter(), time.monotonic(), max(2, (options.minutes * 60 - 40) // 40)
    primary, standby = database["control"], database["standby"]["control"]

    def until(second):
        time.sleep(max(0, begin + second - time.monotonic()))

    def control(*words):
        site.note(words[-1])
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, cwd=database["state"], timeout=60)
    for second in range(0, 40 * rounds, 40):
        stopped, killed = random.sample(range(3), 2)
        site.interrupt(stopped, signal.SIGSTOP)
        until(second + 8)
        site.restart(killed)
        until(second + 22)
        if second == rounds // 2 * 40:
            control(*primary, "--mode", "immediate", "stop")
            if options.control:
                control(*standby, "start")
            control(*standby, "promote")
            primary = standby
            for index in [stopped, *{0, 1, 2} - {stopped}] if options.control else ():
                site.restart(index)
        else:
            control(*primary, "--mode", "immediate", "restart")
            done["restarts"] += 1
        until(second + 35)
        site.note(f"server-{stopped} continues")
        site.processes[stopped].send_signal(signal.SIGCONT)
        site.is_up[stopped] = True
        done["rounds"] += 1
        until(second + 40)
    until(options.minutes * 60)
    return done


def run(options, folder, stack):
    def start(name, *words, **settings):
        log = stack.enter_context(open(folder / f"{name}.log", "w"))
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=log, text=True, **settings)
        stack.callback(process.wait, 30)
        stack.callback(process.terminate)
        line = process.stdout.readline()
        assert line, (folder / f"{name}.log").read_text()
        return process, json.loads(line)
    _, database = start("database", DATABASE, env={**os.environ, "STANDBY": "1"})
    ports, users = random.sample(range(20000, 32000), 3), range(options.users)
    (folder / "users").write_text("\n".join(f'{{"name": "user-{user}", "password": "secret"}}' for user in users))
    (folder / "clients").write_text(json.dumps(
        {"client_id": "site", "redirect_uris": [f"http://127.0.0.1:{ports[0]}/callback"]}))
    provider, announcement = start(
        "provider", AUTHSTATE, "provider", "--json", "--port", "0", "--users", folder / "users", "--algorithm", "ES256",
        "--clients", folder / "clients", "--token-lifetime", str(options.lifetime),
        "--refresh-token-grace", str(options.grace))
    hosts = f"host=127.0.0.1,127.0.0.1 port={re.findall('port=([0-9]+)', database['connection'])[0]}," \
            f"{database['standby']['port']} target_session_attrs=read-write"
    site = Site(folder, ports, options.users, {
        "ISSUER": announcement["issuer"], "CLIENT_ID": "site", "DATABASE_URL": f"{database['connection']} {hosts}",
        "SEALING_KEY": base64.b64encode(os.urandom(32)).decode()})
    stack.callback(lambda: [process.kill() for process in site.processes if process])
    pool = stack.enter_context(concurrent.futures.ThreadPoolExecutor(THREADS))
    for index in range(3):
        site.start(index)
    list(pool.map(site.log_in, users))
    if options.control:
        for change in ("ALTER SYSTEM SET synchronous_standby_names = ''", "SELECT pg_reload_conf()"):
            subprocess.run(["psql", "--no-psqlrc", database["admin"], "-c", change], check=True, stdout=2)
        subprocess.run([*database["standby"]["control"], "stop"], check=True, stdout=2, cwd=database["state"])
    is_over = threading.Event()
    stack.callback(is_over.set)

    def load():
        due = time.monotonic() + random.random() * THREADS / options.rate
        while not is_over.wait(due - time.monotonic()):
            site.profile(random.choice(users))
            due = max(due + THREADS / options.rate, time.monotonic())
    threads = [pool.submit(load) for _ in range(THREADS)]
    done = disturb(site, database, options)
    is_over.set()
    for thread in threads:
        thread.result()
    counts, waits, site.counts = site.counts, list(site.waits), collections.Counter()
    time.sleep(options.lifetime)

    def is_lost(user):
        for _ in range(60):
            if (kind := site.profile(user)) == "page" or "asked" in kind:
                break
            time.sleep(1)
        return kind != "page"
    lost, ended = sum(pool.map(is_lost, users)), sum(process.poll() is not None for process in site.processes)
    provider.send_signal(signal.SIGINT)
    provider.wait(30)
    renewals = re.findall("([0-9]+) requests with a refresh token, ([0-9]+)", (folder / "provider.log").read_text())[-1]
    pages = counts.pop("page")
    print(f"three servers, {options.users} users, tokens of {options.lifetime} s, {options.minutes} min: "
          f"{done['rounds']} kills, {done['rounds']} stalls of 35 s, {done['restarts']} restarts of the database, "
          f"1 failover; {pages} pages, {len(waits)} of them after more than 0.1 s, the longest "
          f"{max(waits, default=0):.2f} s; {renewals[0]} renewals, {renewals[1]} refresh tokens presented again; errors: "
          f"{', '.join(f'{count} {kind}' for kind, count in counts.most_common()) or 'none'}; "
          f"{ended} servers ended by themselves; {lost} logins lost")
    return int(lost + ended > 0 or any("asked" in kind or "another" in kind for kind in counts))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, usual in {"minutes": 10, "users": 2000, "lifetime": 120, "grace": 60, "rate": 400}.items():
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--control", action="store_true")
    options = parser.parse_args()
    if options.control:
        options.lifetime, options.grace = 20, 10
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="authstate-load."))
    print(f"logs: {folder}", file=sys.stderr)
    with contextlib.ExitStack() as stack:
        sys.exit(run(options, folder, stack))


main()
