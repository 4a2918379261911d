#!/usr/bin/env python3
"""Seals an archive as SealedAuthStateStore does, with Python's `cryptography`: the golden file of format 1.

usage: make-sealed-state.py        prints what Tests/AuthStateKitTests/Storage/SealedArchiveTests.swift has as `golden`

Always prints the same. Needs the package python3-cryptography.
"""
import base64
import json

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_ID, KEY = "2026-11", bytes(range(1, 33))
STATE_KEY = "user/é"
NONCE = bytes(range(0xA0, 0xAC))
ARCHIVE = '{"format":1,"state":{"refreshToken":"SECRET-refresh"}}'


def netstring(text):
    data = text.encode()
    return b"%d:%s," % (len(data), data)


data = b"".join(map(netstring, ["AuthStateKit sealed archive", "1", KEY_ID, STATE_KEY]))
content = NONCE + AESGCM(KEY).encrypt(NONCE, ARCHIVE.encode(), data)
sealed = {"content": base64.urlsafe_b64encode(content).rstrip(b"=").decode(), "key": KEY_ID, "sealed": 1}
print(json.dumps(sealed, separators=(",", ":"), sort_keys=True))
