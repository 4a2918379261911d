"""Times `authstate-proxy`: short requests, alone and beside a hundred long polls that the API holds.

usage: proxy.py PROGRAM PROXY   swift build -c release --package-path Examples/CLI, and Examples/Proxy

The API, with the authorization server, is that of bridge.py; the floor are the same requests sent to it directly.
"""
import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import time

import bridge

HELD = 100


def measure(program, proxy, port, folder):
    base = f"http://127.0.0.1:{port}"
    environment = dict(os.environ, SECRET="s", XDG_STATE_HOME=folder)
    subprocess.run(
        [program, "login", "--issuer", base, "--grant", "client-credentials", "--client-id", "a", "--client-secret-env", "SECRET"],
        env=environment, check=True, stderr=subprocess.DEVNULL)
    process = subprocess.Popen(
        [proxy, base, "--json"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    url = json.loads(process.stdout.readline())["url"]
    place, key = url.split("/")[2:]
    try:
        compare(("127.0.0.1", port), tuple(place.split(":")), f"/{key}")
    finally:
        process.terminate()
        process.wait()


def body(method):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {}})


def hundred(place, path):
    """The milliseconds of a request, of a hundred on one connection."""
    connection = http.client.HTTPConnection(*place)

    def one():
        connection.request(
            "POST", f"{path}/mcp", body("ping"), {"Content-Type": "application/json", "Authorization": "Bearer t"})
        if connection.getresponse().read().find(b'"result"') < 0:
            sys.exit("no answer")

    one()
    return bridge.milliseconds(one, 100)


def compare(api, proxy, path):
    def median(place, path):
        return statistics.median(hundred(place, path) for _ in range(7))

    floor, alone = median(api, ""), median(proxy, path)
    held = []
    for _ in range(HELD):
        connection = socket.create_connection(proxy)
        text = body("hold")
        connection.sendall(
            f"POST {path}/mcp HTTP/1.1\r\nHost: {proxy[0]}:{proxy[1]}\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode())
        held.append(connection)
    time.sleep(1)
    beside = median(proxy, path)
    released = http.client.HTTPConnection(*proxy)
    released.request("POST", f"{path}/mcp", body("release"))
    released.getresponse().read()
    answered = sum(connection.recv(15).startswith(b"HTTP/1.1 200") for connection in held)
    print(f"a short request: {floor:.2f} ms without the proxy, {alone:.2f} with it, {beside:.2f} beside {HELD} that are held, "
          f"ratio {beside / alone:.2f}; of those {answered} were answered in the end")


bridge.main(measure, *sys.argv[1:])
