"""Times `authstate mcp`: its start, what it adds to a message, calls beside held ones, events of a stream, memory.

usage: bridge.py PROGRAM            swift build -c release --static-swift-stdlib --package-path Examples/CLI
       bridge.py PROGRAM --copies   counts how often the bytes of a message are copied, on Linux

The server and the floor, the same requests sent without the bridge, are in this file. Both keep the connection.
"""
import http.client
import http.server
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time


released = [threading.Event()]


class Handler(http.server.BaseHTTPRequestHandler):
    """A server of the protocol, and the authorization server that it names."""

    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16
    event = b'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"message":"%s"}}\n\n' % (
        b"x" * 80)

    def answer(self, status, body, headers={}):
        text = json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        base = f"http://127.0.0.1:{self.server.server_port}"
        if "protected-resource" in self.path:
            self.answer(200, {"resource": f"{base}/mcp", "authorization_servers": [base]})
        elif "authorization-server" in self.path:
            self.answer(200, {
                "issuer": base, "authorization_endpoint": f"{base}/authorize", "token_endpoint": f"{base}/token",
                "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"]})
        else:
            self.answer(405, {})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/token":
            return self.answer(200, {"access_token": "t", "token_type": "Bearer", "expires_in": 36000})
        if not self.headers.get("Authorization"):
            return self.answer(401, {}, {"WWW-Authenticate": "Bearer"})
        message = json.loads(body)
        result = {"jsonrpc": "2.0", "id": message["id"], "result": {"text": "y" * message["params"].get("size", 0)}}
        if message["method"] == "hold":
            released[0].wait()
        if message["method"] == "release":
            released.append(threading.Event())
            released.pop(0).set()
        if message["method"] != "flood" and "stream" not in message["params"]:
            return self.answer(200, result)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for _ in range(0, message["params"].get("events", 0), 100):
            self.wfile.write(self.event * 100)
        self.wfile.write(b"data: %s\n\n" % json.dumps(result).encode())

    def log_message(self, *_):
        pass


class Bridge:
    last = 0

    def __init__(self, program, port, folder, variables={}, errors=None):
        base = f"http://127.0.0.1:{port}"
        words = [program, "mcp", f"{base}/mcp", "--grant", "client-credentials", "--client-id", "a", "--client-secret-env",
                 "SECRET", "--issuer", base]
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
            env=dict(os.environ, XDG_STATE_HOME=folder, SECRET="s", **variables))

    def tell(self, method, **params):
        self.last += 1
        self.process.stdin.write(b"%s\n" % json.dumps(
            {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}).encode())
        self.process.stdin.flush()

    def ask(self, method, **params):
        self.tell(method, **params)
        while b'"id"' not in (line := self.process.stdout.readline()):
            pass
        if b'"error"' in line[:200]:
            sys.exit(line.decode())

    def processor_time(self):
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e6

    def megabytes(self, name):
        lines = pathlib.Path(f"/proc/{self.process.pid}/smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def milliseconds(body, count):
    times = []
    for _ in range(count):
        start = time.perf_counter()
        body()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 500
    daemon_threads = True


def main(measure, *arguments):
    server = Server(("127.0.0.1", 0), Handler)
    port = server.server_port
    child = os.fork()
    if child == 0:
        server.serve_forever()
    with tempfile.TemporaryDirectory() as folder:
        try:
            measure(*arguments, port, folder)
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def measure(program, port, folder):
    def start():
        bridge = Bridge(program, port, folder)
        bridge.ask("ping")
        return bridge

    start().end()
    bridges = []
    first = milliseconds(lambda: bridges.append(start()), 20)
    print(f"start to the first answer: {first:.1f} ms; 'true' takes {milliseconds(lambda: subprocess.run(['true']), 20):.1f} ms")
    print(f"memory of one of {len(bridges)}: {bridges[0].megabytes('Private_Dirty'):.1f} MB of its own, "
          f"{bridges[0].megabytes('Pss:'):.1f} MB with its share of the program, {bridges[0].megabytes('Rss'):.1f} MB in all")
    bridge = bridges.pop()
    for other in bridges:
        other.end()
    connection = http.client.HTTPConnection("127.0.0.1", port)
    def direct(size=0):
        def directly():
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"size": size}})
            connection.request("POST", "/mcp", body, {"Content-Type": "application/json", "Authorization": "Bearer t"})
            connection.getresponse().read()

        return directly

    # One in turn with the other, here and below, so that what else the machine does meets both.
    for size, count in ((10, 1000), (10_000, 1000), (1_000_000, 50)):
        turns = [(milliseconds(direct(size), 1), milliseconds(lambda: bridge.ask("ping", size=size), 1)) for _ in range(count)]
        floor, bridged = map(statistics.median, zip(*turns))
        more = statistics.median(bridged - floor for floor, bridged in turns)
        print(f"an answer of {size} bytes: {floor:.2f} ms without the bridge, {bridged:.2f} with it, in the median of the turns {more:+.2f}")

    figures = {}
    for _ in range(10):
        for held in (False, True):
            if held:
                for _ in range(100):
                    bridge.tell("hold")
                time.sleep(0.5)
            before = bridge.processor_time()
            time_of_one = milliseconds(lambda: bridge.ask("ping"), 200)
            spent = (bridge.processor_time() - before) / 200
            figures.setdefault(held, []).append((time_of_one, milliseconds(direct(), 200), spent))
            if held:
                bridge.tell("release")
                for _ in range(101):
                    while b'"id"' not in bridge.process.stdout.readline():
                        pass
    for index, name in enumerate(("a call", "one without the bridge", "processor time of the bridge for one")):
        alone, beside = (statistics.median(figures[held][turn][index] for turn in range(10)) for held in (False, True))
        more = statistics.median(figures[True][turn][index] - figures[False][turn][index] for turn in range(10))
        print(f"beside a hundred that are held, {name}: {beside:.3f} ms, {alone:.3f} without those, in the median of the turns {more:+.3f}")
    events = 200_000
    seconds = milliseconds(lambda: bridge.ask("flood", events=events), 3) / 1000
    print(f"a stream: {events / seconds:,.0f} events a second; afterwards {bridge.megabytes('Private_Dirty'):.1f} MB of its own")
    bridge.end()


def count_copies(program, port, folder):
    library = f"{folder}/copies.so"
    source = pathlib.Path(__file__).with_name("copies.c")
    subprocess.run(["cc", "-O2", "-fno-builtin", "-fno-tree-loop-distribute-patterns", "-shared", "-fPIC", "-o", library, source],
                   check=True)
    bridge = Bridge(program, port, folder, {"LD_PRELOAD": library}, subprocess.PIPE)

    def copied():
        bridge.process.send_signal(signal.SIGUSR1)
        while not (line := bridge.process.stderr.readline().strip()).isdigit():
            pass
        return int(line)

    bridge.ask("ping")
    for size in (10_000, 60_000, 1_000_000):
        for name, parameters in (("answer", {"size": size}), ("answer as an event", {"size": size, "stream": 1}),
                                 ("request", {"text": "z" * size})):
            bridge.ask("ping", **parameters)
            copied()
            for _ in range(20):
                bridge.ask("ping", **parameters)
            print(f"of {size} bytes of {name} so many are copied: {copied() / 20:,.0f}")
    bridge.end()


if __name__ == "__main__":
    main(count_copies if "--copies" in sys.argv else measure, sys.argv[1])
