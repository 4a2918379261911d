#!/usr/bin/python3
"""Passes TCP connections on with a delay, as a network between two machines does.

usage: relay.py PORT MILLISECONDS

The delay is that of each way. Prints the port that it listens on at 127.0.0.1, and ends with its standard input.
"""
import queue
import socket
import sys
import threading
import time


def passes(source, target, delay):
    """Passes one way on: what came is sent when its time has come, while more is read."""
    waiting = queue.Queue()

    def send():
        while True:
            moment, data = waiting.get()
            time.sleep(max(0, moment - time.monotonic()))
            try:
                if not data:
                    return target.shutdown(socket.SHUT_WR)
                target.sendall(data)
            except OSError:
                return

    threading.Thread(target=send, daemon=True).start()
    while True:
        try:
            data = source.recv(65536)
        except OSError:
            data = b""
        waiting.put((time.monotonic() + delay, data))
        if not data:
            return


def main():
    port, delay = int(sys.argv[1]), float(sys.argv[2]) / 1000
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    threading.Thread(target=lambda: (sys.stdin.read(), listener.shutdown(socket.SHUT_RDWR)), daemon=True).start()
    while True:
        try:
            near, _ = listener.accept()
        except OSError:
            return
        far = socket.create_connection(("127.0.0.1", port))
        for one in (near, far):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=passes, args=(near, far, delay), daemon=True).start()
        threading.Thread(target=passes, args=(far, near, delay), daemon=True).start()


main()
