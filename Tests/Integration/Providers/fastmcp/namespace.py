"""A network namespace for this process, in which a public address belongs to the loopback interface.

A server that fetches documents for its clients refuses loopback and private addresses. In the namespace it reaches
`ADDRESS`, an address that counts as public and leads no further than this process.
"""
import ctypes
import os
import queue
import socket
import subprocess
import threading

# In AS112's block, which Python's ipaddress counts as global.
ADDRESS = "192.31.196.1"
CLONE_NEWNET = 0x40000000


def enter(host, port):
    """Moves the calling thread, and all threads that it starts later, into a new network namespace.

    Sockets that exist already stay where they are. Connections to 127.0.0.1:PORT in the namespace are relayed to
    HOST:PORT outside.
    """
    listeners = queue.Queue()
    # Started before the change, the relay makes its connections outside.
    threading.Thread(target=relay, args=(listeners, (host, port)), daemon=True).start()
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), f"no network namespace: {os.strerror(ctypes.get_errno())}")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    subprocess.run(["ip", "address", "add", f"{ADDRESS}/32", "dev", "lo"], check=True)
    listeners.put(socket.create_server(("127.0.0.1", port), backlog=64))


def relay(listeners, target):
    listening = listeners.get()
    while True:
        inner, _ = listening.accept()
        try:
            outer = socket.create_connection(target, timeout=10)
        except OSError:
            inner.close()
            continue
        outer.settimeout(None)
        for source, sink in ((inner, outer), (outer, inner)):
            threading.Thread(target=pump, args=(source, sink), daemon=True).start()


def pump(source, sink):
    """Copies what arrives at one socket to the other, until either ends."""
    try:
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass
    # Each direction ends by itself; the sockets close with the last reference to them.
