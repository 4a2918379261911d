#!/usr/bin/python3
"""Stands before a PostgreSQL server that seems to end its recovery just after the first connection.

    recovering.py PORT

The first connection is refused as a recovering server refuses it; all others reach the server at PORT. Prints its own
port. Clients connect without TLS and GSSAPI.
"""

import socket
import sys
import threading

server = ("127.0.0.1", int(sys.argv[1]))
fields = b"SFATAL\0VFATAL\0C57P03\0Mthe database system is not yet accepting connections\0\0"


def copy(source, target):
    while data := source.recv(65536):
        target.sendall(data)
    target.shutdown(socket.SHUT_WR)


listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
with listener.accept()[0] as first:
    first.recv(65536)
    first.sendall(b"E" + (len(fields) + 4).to_bytes(4, "big") + fields)
while True:
    client = listener.accept()[0]
    upstream = socket.create_connection(server)
    for pair in (client, upstream), (upstream, client):
        threading.Thread(target=copy, args=pair, daemon=True).start()
