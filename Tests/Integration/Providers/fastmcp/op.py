"""A FastMCP server behind its own OAuth proxy, and the client metadata documents that the proxy fetches.

usage: op.py PORT STATE_FOLDER      start.sh describes the environment
"""
import asyncio
import base64
import inspect
import json
import os
import pathlib
import secrets
import socket
import sys
import urllib.parse

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))  # asgi.py

import uvicorn  # noqa: E402
from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: E402
from fastmcp import FastMCP  # noqa: E402
from fastmcp.server.auth import RemoteAuthProvider  # noqa: E402
from fastmcp.server.auth.middleware import RequireAuthMiddleware  # noqa: E402
from fastmcp.server.auth.oidc_proxy import OIDCProxy  # noqa: E402
from fastmcp.server.auth.providers.jwt import JWTVerifier  # noqa: E402
from fastmcp.server.dependencies import get_access_token  # noqa: E402
from key_value.aio.stores.memory import MemoryStore  # noqa: E402
from starlette.responses import JSONResponse, Response  # noqa: E402
from starlette.routing import Route  # noqa: E402

import namespace  # noqa: E402
from asgi import Listener, Recorder, StepUp  # noqa: E402

try:
    import httpx2
except ImportError:
    # The generation before.
    import httpx as httpx2

PORT, STATE = int(sys.argv[1]), sys.argv[2]
BASE = f"http://127.0.0.1:{PORT}"
UPSTREAM = os.environ["UPSTREAM_ISSUER"]
SECONDS = os.environ.get("ACCESS_TOKEN_SECONDS")
ORGANIZATION = os.environ.get("ASSERTION_ISSUER")
# Scopes of the upstream. Where only its ID token is a JWT, openid is the scope that everything needs.
IS_OPAQUE = os.environ.get("UPSTREAM_OPAQUE") == "1"
READ, WRITE = "openid" if IS_OPAQUE else "profile", "email"
DOCUMENTS = f"https://{namespace.ADDRESS}"


def upstream_client():
    """The proxy's client at the upstream, registered dynamically unless the environment names one."""
    if "UPSTREAM_CLIENT_ID" in os.environ:
        return os.environ["UPSTREAM_CLIENT_ID"], os.environ["UPSTREAM_CLIENT_SECRET"]
    metadata = httpx2.get(f"{UPSTREAM}/.well-known/openid-configuration").raise_for_status().json()
    client = httpx2.post(metadata["registration_endpoint"], json={
        "client_name": "FastMCP", "redirect_uris": [f"{BASE}/auth/callback"],
        "token_endpoint_auth_method": "client_secret_basic", "grant_types": ["authorization_code", "refresh_token"],
    }).raise_for_status().json()
    return client["client_id"], client["client_secret"]


def proxy():
    identifier, secret = upstream_client()
    return OIDCProxy(
        config_url=f"{UPSTREAM}/.well-known/openid-configuration", client_id=identifier, client_secret=secret,
        token_endpoint_auth_method="client_secret_basic", base_url=BASE, required_scopes=[READ],
        client_storage=MemoryStore(), verify_id_token=IS_OPAQUE,
        extra_authorize_params={"prompt": "consent"} if IS_OPAQUE else None,
        jwt_signing_key=secrets.token_urlsafe(32),
        # glewlwyd refuses resources that its configuration does not name.
        forward_resource=False,
        fastmcp_access_token_expiry_seconds=int(SECONDS) if SECONDS else None, **scopes(),
        **(assertions() if ORGANIZATION else {}))


def scopes():
    """The scopes that clients may ask for; the generation before knows no others than the required ones."""
    known = inspect.signature(OIDCProxy.__init__).parameters
    return {"valid_scopes": [READ, WRITE, "offline_access"]} if "valid_scopes" in known else {}


def assertions():
    from fastmcp.server.auth import IdentityAssertion

    return {"identity_assertion": IdentityAssertion(
        trusted_issuers=[ORGANIZATION], algorithm="ES256", access_token_expiry_seconds=int(SECONDS or 300))}


def upstream_alone():
    """The upstream as the authorization server of the resource, which checks the upstream's tokens itself."""
    metadata = httpx2.get(f"{UPSTREAM}/.well-known/openid-configuration").raise_for_status().json()
    verifier = JWTVerifier(
        jwks_uri=metadata["jwks_uri"], issuer=metadata["issuer"], audience=f"{BASE}/mcp", required_scopes=[READ])
    return RemoteAuthProvider(
        token_verifier=verifier, authorization_servers=[UPSTREAM], base_url=BASE, scopes_supported=[READ, WRITE])


def make_server():
    is_direct = os.environ.get("DIRECT") == "1"
    server = FastMCP("AuthStateKit test server", auth=upstream_alone() if is_direct else proxy())
    written = []

    @server.tool
    def whoami() -> dict:
        """Returns the user, client and scopes of the access token."""
        token = get_access_token()
        return {"subject": token.claims.get("sub"), "client_id": token.client_id, "scopes": token.scopes}

    @server.tool
    def add(a: int, b: int) -> int:
        """Adds two numbers."""
        return a + b

    @server.tool
    def write_note(text: str) -> int:
        """Keeps a note and returns how many there are. Needs the scope email."""
        written.append(text)
        return len(written)

    return server


def guard(app):
    """Requires a further scope for the tool `write_note`; the answer is FastMCP's."""
    route = next(route for route in app.routes if route.path == "/mcp")
    usual = route.app
    strict = RequireAuthMiddleware(usual.app, [READ, WRITE], usual.resource_metadata_url)
    route.app = StepUp(usual, strict)


class Documents:
    """The client metadata documents, as an ASGI application, and the control paths that replace them."""

    def __init__(self):
        common = {
            "client_name": "AuthStateKit tests",
            "redirect_uris": ["http://127.0.0.1/callback", "http://[::1]/callback"],
            "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
        }
        self.bodies = {
            "client.json": common | {
                "client_id": f"{DOCUMENTS}/client.json", "token_endpoint_auth_method": "none"},
            "key.json": common | {
                "client_id": f"{DOCUMENTS}/key.json", "token_endpoint_auth_method": "private_key_jwt",
                "jwks": {"keys": [public_key(f"{STATE}/client.pem")]}},
        }
        self.bodies = {name: json.dumps(body).encode() for name, body in self.bodies.items()}
        self.app = Recorder(self.answer)

    async def answer(self, scope, receive, send):
        if scope["type"] != "http":
            return
        body = self.bodies.get(scope["path"].removeprefix("/"))
        headers = {"Cache-Control": "no-store", "Content-Type": "application/json"}
        await Response(body or b"", 200 if body else 404, headers)(scope, receive, send)

    def routes(self):
        return [
            Route("/control/documents/{name}", self.replace, methods=["PUT"]),
            Route("/control/document-requests", lambda request: JSONResponse(self.app.requests)),
        ]

    async def replace(self, request):
        self.bodies[request.path_params["name"]] = await request.body()
        return Response(status_code=204)


def public_key(file):
    numbers = load_pem_private_key(pathlib.Path(file).read_bytes(), None).public_key().public_numbers()
    x, y = (base64.urlsafe_b64encode(part.to_bytes(32, "big")).rstrip(b"=").decode() for part in (numbers.x, numbers.y))
    return {"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": "client-1", "x": x, "y": y}


def main():
    # Made before the namespace changes, this socket stays reachable on the machine's own loopback interface.
    resource_socket = socket.create_server(("127.0.0.1", PORT), backlog=64)
    pairs = []
    documents = None
    if os.environ.get("CLIENT_DOCUMENTS") == "1":
        upstream = urllib.parse.urlsplit(UPSTREAM)
        namespace.enter(upstream.hostname, upstream.port)
        documents = Documents()
        pairs.append((socket.create_server((namespace.ADDRESS, 443)), uvicorn.Config(
            documents.app, log_level="warning", lifespan="off",
            ssl_certfile=f"{STATE}/tls.pem", ssl_keyfile=f"{STATE}/tls.key")))
    app = make_server().http_app(
        path="/mcp", json_response=os.environ.get("JSON_RESPONSE") == "1",
        stateless_http=os.environ.get("STATELESS") == "1")
    guard(app)
    app.router.routes += [Route("/control/ready", lambda request: Response())]
    app.router.routes += documents.routes() if documents else []
    pairs.append((resource_socket, uvicorn.Config(Recorder(app), log_level="warning")))

    async def serve():
        await asyncio.gather(*(Listener(config).serve([listening]) for listening, config in pairs))

    asyncio.run(serve())


if __name__ == "__main__":
    main()
