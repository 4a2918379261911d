#!/usr/bin/python3
"""Signs the ID tokens of IDTokenFixtures.swift with Python's `cryptography`: nothing in them comes from the code under test.

usage: make-id-tokens.py > IDTokenFixtures.swift
"""
import base64
import hashlib
import hmac
import json

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

NOW = 1_800_000_000
KEY = ec.generate_private_key(ec.SECP256R1())


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def left_hash(text):
    return encode(hashlib.sha256(text.encode()).digest()[:16])


def sign(algorithm, message):
    if algorithm == "none":
        return b""
    if algorithm == "HS256":
        return hmac.digest(b"client-secret", message, "sha256")
    r, s = utils.decode_dss_signature(KEY.sign(message, ec.ECDSA(hashes.SHA256())))
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def token(changes={}, algorithm="ES256"):
    """A token that passes every check at login, some claims replaced, or removed with None."""
    claims = {
        "iss": "https://op.example", "sub": "alice", "aud": "client", "nonce": "nonce", "exp": NOW + 300, "iat": NOW,
        "auth_time": NOW - 30,
    } | changes
    claims = {name: value for name, value in claims.items() if value is not None}
    header = {"alg": algorithm, "typ": "JWT", "kid": "k1"}
    parts = [encode(json.dumps(part, separators=(",", ":")).encode()) for part in (header, claims)]
    message = ".".join(parts)
    return f"{message}.{encode(sign(algorithm, message.encode()))}"


TOKENS = {
    "good": token(),
    "unsigned": token(algorithm="none"),
    "sharedSecret": token(algorithm="HS256"),
    "unsignedFront": token({"c_hash": left_hash("code")}, algorithm="none"),
    "front": token({"c_hash": left_hash("code")}),
    "withAccessTokenHash": token({"at_hash": left_hash("access")}),
    "otherIssuer": token({"iss": "https://evil.example"}),
    "noSubject": token({"sub": None}),
    "emptySubject": token({"sub": ""}),
    "longSubject": token({"sub": "a" * 256}),
    "otherAudience": token({"aud": "other"}),
    "noAudience": token({"aud": None, "azp": "client"}),
    "mixedAudience": token({"aud": ["client", 5], "azp": "client"}),
    "otherParty": token({"azp": "other"}),
    "noParty": token({"aud": ["client", "api"]}),
    "moreAudiences": token({"aud": ["client", "api"], "azp": "client"}),
    "expired": token({"exp": NOW - 61}),
    "noExpiry": token({"exp": None}),
    "noIssueTime": token({"iat": None}),
    "fromFuture": token({"iat": NOW + 61}),
    "tooOld": token({"iat": NOW - 661}),
    "notYet": token({"nbf": NOW + 61}),
    "oddNotBefore": token({"nbf": "now"}),
    "otherNonce": token({"nonce": "other"}),
    "noNonce": token({"nonce": None}),
    "gold": token({"acr": "gold"}),
    "bronze": token({"acr": "bronze"}),
    "noAuthenticationTime": token({"auth_time": None}),
    "oldLogin": token({"auth_time": NOW - 161}),
    "otherAccessTokenHash": token({"at_hash": left_hash("other")}),
    "otherCodeHash": token({"c_hash": left_hash("other")}),
    "otherSubject": token({"sub": "mallory"}),
    "party": token({"azp": "client"}),
    "otherAuthenticationTime": token({"auth_time": NOW - 31}),
}


def main():
    numbers = KEY.public_key().public_numbers()
    jwk = {"kty": "EC", "crv": "P-256", "kid": "k1", "x": encode(numbers.x.to_bytes(32, "big")),
           "y": encode(numbers.y.to_bytes(32, "big"))}
    print("// Written by make-id-tokens.py.\n")
    print("/// ID tokens of https://op.example for `client`, signed by Python, and their key.")
    print("enum IDTokenFixtures {")
    print(f"    static let now = {NOW:_}\n")
    print(f'    static let keySet = """\n        {json.dumps({"keys": [jwk]})}\n        """\n')
    print("    // swift-format-ignore\n    static let tokens = [")
    for name, text in TOKENS.items():
        print(f'        "{name}":\n            "{text}",')
    print("    ]\n}")


main()
