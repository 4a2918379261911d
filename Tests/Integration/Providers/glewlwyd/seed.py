"""Fills a fresh glewlwyd through its administration API: scopes, the users alice and bob, two OpenID providers, the clients.

usage: seed.py BASE_URL STATE_FOLDER      ACCESS_TOKEN_SECONDS: lifetime of access tokens (default 3600)
"""
import base64
import http.cookiejar
import json
import os
import ssl
import subprocess
import sys
import urllib.error
import urllib.request

BASE, STATE = sys.argv[1], sys.argv[2]
ACCESS_TOKEN_SECONDS = int(os.environ.get("ACCESS_TOKEN_SECONDS", "3600"))
# Further resources that tokens with the scopes profile and email may be for, separated by spaces.
RESOURCES = os.environ.get("RESOURCES", "").split()
# Where the client `basic` wants to be told of logouts.
LOGOUT_URI = os.environ.get("BACKCHANNEL_LOGOUT_URI")
SCOPES = ["openid", "profile", "email", "offline_access"]

# Redirect URIs are matched exactly, the port included: a block of loopback ports is registered.
REDIRECT_PORTS = range(8400, 8800)
REDIRECT_URIS = (
    [f"http://127.0.0.1:{port}/callback" for port in REDIRECT_PORTS]
    + [f"http://[::1]:{port}/callback" for port in (8400, 8401)]
    + [
        "http://127.0.0.1/callback", "http://localhost:8400", "http://localhost:8400/callback",
        "com.example.app:/callback", "https://app.example.test/callback",
    ])
POST_LOGOUT_URIS = [f"http://127.0.0.1:{port}/logout" for port in REDIRECT_PORTS] + [
    f"http://127.0.0.1:{port}/callback" for port in REDIRECT_PORTS]

opener = urllib.request.build_opener(
    urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()),
    urllib.request.HTTPSHandler(context=ssl._create_unverified_context()))


def api(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(BASE + "/api" + path, data, {"Content-Type": "application/json"}, method=method)
    try:
        with opener.open(request, timeout=10) as reply:
            text = reply.read()
            return json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        sys.exit(f"{method} {path}: {error.code} {error.read().decode()}")


def allow_properties(kind, names, multiple=()):
    """Lets users or clients carry properties beyond the built-in ones."""
    module = api("GET", f"/mod/{kind}/database")
    for name in names:
        module["parameters"]["data-format"][name] = {"multiple": name in multiple, "read": True, "write": True}
    api("PUT", f"/mod/{kind}/database", module)
    api("PUT", f"/mod/{kind}/database/reset")


def add_scopes():
    for name in SCOPES:
        # Without a required password auth_time is 0, and max_age and prompt=login mean nothing.
        scope = {
            "name": name, "display_name": name, "scheme": {},
            "password_required": True, "password_max_age": 0,
        }
        if name == "openid":  # comes with the database
            api("PUT", "/scope/openid", scope)
        else:
            api("POST", "/scope/", scope)


def add_users():
    for name in ("alice", "bob"):
        api("POST", "/user/", {
            "username": name, "password": "password", "enabled": True, "scope": ["g_profile"] + SCOPES,
            "name": f"{name.title()} Doe", "given_name": name.title(), "family_name": "Doe",
            "preferred_username": name, "email": f"{name}@example.test", "email_verified": "yes",
            "ciba_code": "1234",
        })


def claim(name, scope, **more):
    return {
        "name": name, "user-property": name, "type": "string", "scope": [scope],
        "mandatory": False, "on-demand": True,
    } | more


def add_provider(name, **more):
    """An OpenID provider at BASE/api/<name>."""
    with open(f"{STATE}/jwks.json") as file:
        keys = file.read()
    parameters = {
        "iss": f"{BASE}/api/{name}", "oauth-as-iss-id": True, "subject-type": "public", "allowed-scope": SCOPES,
        # Keys: RS256 unless the client's sign_kid says otherwise.
        "jwks-private": keys, "default-kid": "rs-1", "client-sign_kid-parameter": "sign_kid", "jwks-show": True,
        "jwt-type": "rsa", "jwt-key-size": "256",
        # Lifetimes; a refresh token serves once, and using it again revokes the whole grant.
        "access-token-duration": ACCESS_TOKEN_SECONDS, "refresh-token-duration": 1209600, "code-duration": 600,
        "refresh-token-rolling": True, "refresh-token-one-use": "always",
        # Grants; allow-non-oidc admits requests without openid, such as client_credentials.
        "allow-non-oidc": True, "auth-type-code-enabled": True, "auth-type-code-revoke-replayed": True,
        "auth-type-token-enabled": False, "auth-type-id-token-enabled": True, "auth-type-none-enabled": True,
        "auth-type-password-enabled": False, "auth-type-client-enabled": True, "auth-type-refresh-enabled": True,
        "auth-type-device-enabled": True, "device-authorization-expiration": 600, "device-authorization-interval": 1,
        # A user is asked by the provider itself, in the list of their requests; user codes are in a property of theirs.
        "oauth-ciba-allowed": True, "oauth-ciba-mode-poll-allowed": True, "oauth-ciba-mode-ping-allowed": False,
        "oauth-ciba-mode-push-allowed": False, "oauth-ciba-default-expiry": 600, "oauth-ciba-maximum-expiry": 1200,
        "oauth-ciba-user-code-allowed": True, "oauth-ciba-user-code-property": "ciba_code",
        "oauth-ciba-email-allowed": False,
        "pkce-allowed": True, "pkce-method-plain-allowed": False, "pkce-required-public-client": True,
        "introspection-revocation-allowed": True, "introspection-revocation-allow-target-client": True,
        # Request objects; the same switch turns on client authentication with JWTs.
        "request-parameter-allow": True, "request-maximum-exp": 3600, "client-pubkey-parameter": "pubkey",
        "client-jwks-parameter": "jwks", "client-jwks_uri-parameter": "jwks_uri",
        "oauth-par-allowed": True, "oauth-par-required": False, "oauth-par-duration": 90,
        "oauth-par-request_uri-prefix": "urn:ietf:params:oauth:request_uri:",
        "oauth-dpop-allowed": True, "oauth-dpop-iat-duration": 60, "oauth-dpop-iat-gap-duration": 5,
        "oauth-dpop-dpop_bound_access_tokens-property": "dpop_bound",
        # Resource indicators (RFC 8707): each scope has the resources that its tokens may be for.
        "resource-allowed": True,
        "resource-scope": {
            "profile": ["https://api.example.test", "https://other.example.test"] + RESOURCES,
            **({"email": RESOURCES} if RESOURCES else {}),
        },
        # Signed answers (JARM), and authorization details (RFC 9396); unsigned ones travel in the URL and in pushed requests.
        "oauth-fapi-allow-jarm": True,
        "oauth-rar-allowed": True, "rar-types-client-property": "authorization_details_types",
        "rar-allow-auth-unsigned": True, "rar-allow-auth-unencrypted": True,
        "rar-types": {
            "payment": {
                "scopes": ["openid"], "locations": ["https://bank.example"], "actions": ["initiate", "status"],
                "datatypes": [], "privileges": [], "enriched": [],
            },
        },
        "register-client-allowed": True, "register-client-auth-scope": [], "register-client-credentials-scope": [],
        "register-client-management-allowed": True,
        "session-management-allowed": True, "session-cookie-name": f"{name}_sid", "session-cookie-expiration": 2419200,
        "front-channel-logout-allowed": False, "back-channel-logout-allowed": bool(LOGOUT_URI),
        "name-claim": "on-demand", "name-claim-scope": ["profile"],
        "email-claim": "on-demand", "email-claim-scope": ["email"],
        "claims": [
            claim("given_name", "profile"), claim("family_name", "profile"), claim("preferred_username", "profile"),
            claim("email_verified", "email", type="boolean") | {
                "boolean-value-true": "yes", "boolean-value-false": "no"},
        ],
    }
    api("POST", "/mod/plugin/", {
        "module": "oidc", "name": name, "display_name": name, "enabled": True, "parameters": parameters | more,
    })


def add_client(name, method, **more):
    """A client that authenticates with `method`; confidential clients may also ask for tokens of their own."""
    confidential = method != "none"
    grants = ["code", "refresh_token", "device_authorization"] + (["client_credentials"] if confidential else [])
    api("POST", "/client/", {
        "client_id": name, "name": name, "enabled": True, "confidential": confidential,
        "token_endpoint_auth_method": [method], "authorization_type": grants,
        "scope": ["profile"] if confidential else [],
        "redirect_uri": REDIRECT_URIS, "post_logout_redirect_uris": POST_LOGOUT_URIS,
        "authorization_details_types": ["payment"],
    } | more)


def public_jwks(pem, certificate=None):
    """The JWK set of a P-256 key: the last 64 octets of its SubjectPublicKeyInfo are the two coordinates."""
    der = subprocess.run(
        ["openssl", "pkey", "-in", pem, "-pubout", "-outform", "DER"], check=True, stdout=subprocess.PIPE).stdout
    x, y = (base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in (der[-64:-32], der[-32:]))
    key = {"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": "client-1", "x": x, "y": y}
    if certificate:
        der = subprocess.run(
            ["openssl", "x509", "-in", certificate, "-outform", "DER"], check=True, stdout=subprocess.PIPE).stdout
        key["x5c"] = [base64.b64encode(der).decode()]
    return {"keys": [key]}


api("POST", "/auth/", {"username": "admin", "password": "password"})
allow_properties("user", ["given_name", "family_name", "preferred_username", "email_verified", "ciba_code"])
allow_properties(
    "client", [
        "post_logout_redirect_uris", "sign_kid", "dpop_bound", "tls_client_auth_san_dns", "authorization_details_types",
        "backchannel_token_delivery_mode", "backchannel_logout_uri", "backchannel_logout_session_required",
    ], multiple=["post_logout_redirect_uris", "authorization_details_types"])
add_scopes()
add_users()
# Clients are known by the certificates of their connections, at endpoints of their own (RFC 8705, section 5).
certificates = {
    "client-cert-source": "TLS", "client-cert-use-endpoint-aliases": True, "client-cert-self-signed-allowed": True,
} if BASE.startswith("https:") else {}
add_provider("oidc", **certificates)
# A second provider on the same server insists on PAR, and on DPoP nonces (RFC 9449, section 8).
add_provider("strict", **{
    "oauth-par-required": True, "oauth-dpop-nonce-mandatory": True, "oauth-dpop-nonce-counter": 5})
add_client("public", "none")
add_client("public-es256", "none", sign_kid="es-1")
add_client("hybrid", "none", authorization_type=["code", "id_token", "refresh_token"])
add_client(
    "basic", "client_secret_basic", client_secret="s3cret",
    **({"backchannel_logout_uri": LOGOUT_URI} if LOGOUT_URI else {}))
# glewlwyd does not form-decode what comes by HTTP Basic authentication.
add_client("odd", "client_secret_basic", client_secret="p@ss:w%rd+/=")
add_client("post", "client_secret_post", client_secret="s3cret")
add_client(
    "ciba", "client_secret_basic", client_secret="s3cret", backchannel_token_delivery_mode="poll",
    authorization_type=["refresh_token", "urn:openid:params:grant-type:ciba"])
add_client("secretjwt", "client_secret_jwt", client_secret="s3cret-s3cret-s3cret-s3cret-s3cret")
if certificates:
    add_client("mtls", "tls_client_auth", tls_client_auth_san_dns="mtls.example.test")
    add_client(
        "selfsigned", "self_signed_tls_client_auth",
        jwks=public_jwks(f"{STATE}/selfsigned.key", certificate=f"{STATE}/selfsigned.pem"))
add_client("keyjwt", "private_key_jwt", jwks=public_jwks(f"{STATE}/client.pem"))
