#!/usr/bin/env python3
"""Writes the keys and tokens with which the tests attack AuthStateJOSE, signed by Python's `cryptography`.

usage: make-jose-fixtures.py        writes the two Swift files named below, with new keys each time

Needs the package python3-cryptography.
"""
import base64
import hashlib
import hmac
import json
import pathlib

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

TESTS = pathlib.Path(__file__).resolve().parent.parent
CLAIMS = {"iss": "https://op.example", "sub": "user-1", "aud": "client", "iat": 1700000000}
HASHES = {"256": hashes.SHA256, "384": hashes.SHA384, "512": hashes.SHA512}


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(value, length=None):
    return encoded(value.to_bytes(length or (value.bit_length() + 7) // 8, "big"))


def ec_signature(key, message, algorithm, length):
    r, s = utils.decode_dss_signature(key.sign(message, ec.ECDSA(HASHES[algorithm[2:]]())))
    return r.to_bytes(length, "big") + s.to_bytes(length, "big")


def rsa_signature(key, message, algorithm):
    digest = HASHES[algorithm[2:]]()
    if algorithm.startswith("RS"):
        return key.sign(message, padding.PKCS1v15(), digest)
    return key.sign(message, padding.PSS(padding.MGF1(digest), digest.digest_size), digest)


def token(header, sign, payload=json.dumps(CLAIMS)):
    message = encoded(json.dumps(header).encode()) + "." + encoded(payload.encode())
    return message + "." + encoded(sign(message.encode()))


def hmac_signer(secret, bits="256"):
    return lambda message: hmac.new(secret, message, "sha" + bits).digest()


def rsa_jwk(key, **members):
    numbers = key.public_key().public_numbers()
    return {"kty": "RSA", "n": number(numbers.n), "e": number(numbers.e), **members}


def ec_jwk(key, **members):
    numbers = key.public_key().public_numbers()
    return {"kty": "EC", "crv": "P-256", "x": number(numbers.x, 32), "y": number(numbers.y, 32), **members}


def forged_with_exponent_1(modulus, message):
    """With the exponent 1 the padded digest (RFC 8017, section 9.2) is its own signature."""
    digest = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(message).digest()
    length = (modulus.bit_length() + 7) // 8
    return b"\0\1" + b"\xff" * (length - len(digest) - 3) + b"\0" + digest


rsa_key = rsa.generate_private_key(65537, 2048)
small_key = rsa.generate_private_key(65537, 1024)
ec_key = ec.generate_private_key(ec.SECP256R1())
attacker = ec.generate_private_key(ec.SECP256R1())
modulus = rsa_key.public_key().public_numbers().n
secret = hashlib.sha256(b"the client's secret").digest()
pem = rsa_key.public_key().public_bytes(
    serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def es256(length=32):
    return lambda message: ec_signature(ec_key, message, "ES256", length)


def rs256(key=rsa_key):
    return lambda message: rsa_signature(key, message, "RS256")


good = token({"alg": "ES256", "kid": "ec"}, es256())
swapped = json.dumps({**CLAIMS, "sub": "attacker"})
header, _, signature = good.split(".")
alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

attacks = {
    "good": good,
    "padded": good + "=",
    "leftOver": good[:-1] + alphabet[alphabet.index(good[-1]) + 1],
    "twice": token(
        {"alg": "ES256", "kid": "ec"}, es256(), json.dumps(CLAIMS)[:-1] + ', "sub": "administrator"}'),
    "fourParts": good + ".AAAA",
    "critical": token({"alg": "ES256", "kid": "ec", "crit": ["https://op.example/cnf"]}, es256()),
    "confused": token({"alg": "HS256"}, hmac_signer(pem)),
    "otherKey": token({"alg": "ES256", "kid": "withdrawn"}, es256()),
    "otherCurve": token(
        {"alg": "ES384", "kid": "ec"}, lambda message: ec_signature(ec_key, message, "ES384", 48)),
    "pkcs1": token({"alg": "RS256", "kid": "rsa"}, rs256()),
    "small": token({"alg": "RS256", "kid": "small"}, rs256(small_key)),
    "exponent1": token({"alg": "RS256", "kid": "rsa"}, lambda message: forged_with_exponent_1(modulus, message)),
    "published": token({"alg": "HS256", "kid": "oct"}, hmac_signer(secret)),
    "emptySecret": token({"alg": "HS256"}, hmac_signer(b"")),
    "longHalves": token({"alg": "ES256", "kid": "ec"}, es256(33)),
    "changed": ".".join([header, encoded(swapped.encode()), signature]),
}
attack_keys = {
    "ec": ec_jwk(ec_key, kid="ec"),
    "rsa": rsa_jwk(rsa_key, kid="rsa"),
    "small": rsa_jwk(small_key, kid="small"),
    "oct": {"kty": "oct", "kid": "oct", "k": encoded(secret)},
}

short_pss = None
while short_pss is None:
    text = token({"alg": "PS256", "kid": "rsa"}, lambda message: rsa_signature(rsa_key, message, "PS256"))
    parts = text.split(".")
    raw = base64.urlsafe_b64decode(parts[2] + "==")
    if raw[0] == 0:
        short_pss = ".".join([parts[0], parts[1], encoded(raw[1:])])
brought = ec_jwk(attacker, kid="ec")
plain = {
    "HS256": token({"alg": "HS256"}, hmac_signer(secret)),
    "HS384": token({"alg": "HS384"}, hmac_signer(secret, "384")),
    "HS512": token({"alg": "HS512"}, hmac_signer(secret, "512")),
    "HS256 by the text of the key rsa": token({"alg": "HS256", "kid": "rsa"}, hmac_signer(pem)),
    "PS256": text,
    "PS256 without its leading zero": short_pss,
    "brought keys": token(
        {"alg": "ES256", "kid": "ec", "jwk": brought, "jku": "https://evil.example/jwks",
         "x5u": "https://evil.example/cert", "x5c": [base64.b64encode(attacker.public_key().public_bytes(
             serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)).decode()]},
        lambda message: ec_signature(attacker, message, "ES256", 32)),
}
plain_keys = {"rsa": rsa_jwk(rsa_key, kid="rsa"), "ec": ec_jwk(ec_key, kid="ec"), "oct": attack_keys["oct"]}


def literal(text, indent):
    lines = text.strip().splitlines()
    wrapped = []
    for line in lines:
        pieces = [line[start:start + 96] for start in range(0, len(line), 96)]
        wrapped += [piece + "\\" for piece in pieces[:-1]] + pieces[-1:]
    space = " " * indent
    return '"""\n' + "".join(f"{space}{line}\n" for line in wrapped) + space + '"""'


def swift(name, comment, tokens, keys, extra=""):
    out = f"/// {comment}\n///\n/// Written by Tests/Fixtures/make-jose-fixtures.py.\nenum {name} {{\n"
    out += "    /// Keys as their owners publish them, by name.\n    static let keys: [String: String] = [\n"
    for key, value in keys.items():
        out += f'        "{key}": {literal(json.dumps(value), 8)},\n'
    out += "    ]\n" + extra
    out += "\n    /// Tokens by what they show.\n    static let tokens: [String: String] = [\n"
    for key, value in tokens.items():
        out += f'        "{key}": {literal(value, 8)},\n'
    return out + "    ]\n}\n"


pem_text = "\n    /// The key `rsa` as the text that other libraries would take for a secret.\n    static let rsaPEM = "
pem_text += '"""\n' + "".join(f"        {line}\n" for line in pem.decode().splitlines()) + '\n        """\n'
(TESTS / "AuthStateKitTests/Trust/JOSEAttackFixtures.swift").write_text(
    swift("JOSEAttackFixtures", "What an attacker made with Python's `cryptography`, and the keys it is offered with.",
          attacks, attack_keys, pem_text))
(TESTS / "AuthStateJOSETests/PythonFixtures.swift").write_text(
    swift("PythonFixtures", "Keys and tokens made with Python's `cryptography`.", plain, plain_keys))
