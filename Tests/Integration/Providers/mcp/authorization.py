"""An authorization server made of the MCP SDK's request handlers, with users, grants and tokens in memory.

The SDK answers /authorize, /token, /register, /revoke and the metadata. Stored grants, the login pages, /introspect and
the checks of `resource` at the token endpoint belong to this file, as they belong to every deployment of the SDK.
"""
import dataclasses
import html
import pathlib
import secrets
import time
import urllib.parse

import jwt
from mcp.server.auth.handlers.metadata import MetadataHandler
from mcp.server.auth.provider import (
    AccessToken, AuthorizationCode, AuthorizeError, OAuthAuthorizationServerProvider, RefreshToken, TokenError,
    construct_redirect_uri)
from mcp.server.auth.routes import build_metadata, cors_middleware, create_auth_routes
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions, RevocationOptions
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route

from asgi import Recorder, form_of, read_body, replay
from sdk import JWT_BEARER_GRANT_TYPE

USER, PASSWORD = "alice", "password"
CODE_SECONDS = 300
REFRESH_TOKEN_SECONDS = 1209600
# The SDK compares redirect URIs with their port.
REDIRECT_URIS = [f"http://127.0.0.1:{port}/callback" for port in range(8400, 8800)]

PAGE = """<!doctype html><html lang="en"><head><title>{title}</title></head><body><h1>{title}</h1>
<form method="post"><p>{text}</p>{fields}</form></body></html>"""
LOGIN_FIELDS = """<label>Name <input name="username"></label>
<label>Password <input type="password" name="password"></label> <button>Log in</button>"""
CONSENT_FIELDS = """<input type="hidden" name="consent" value="{consent}">
<button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button>"""


@dataclasses.dataclass
class Settings:
    """How one authorization server behaves."""

    name: str                       # the prefix of its tokens
    issuer: str
    resources: str                  # the origin of the resources that it issues tokens for
    scopes: list
    access_token_seconds: int = 3600
    can_register: bool = True
    issuer_parameter: str = ""      # sent, wrong, missing, or neither advertised nor sent
    metadata: str = "oauth"         # oauth, openid, or appended
    requires_resource: bool = True
    platform: str = ""              # the issuer of workloads' assertions that are grants here
    platform_keys: str = ""         # the file with its JWK set


@dataclasses.dataclass
class Grant:
    """What the user allowed one client to do; all tokens of a login share it."""

    client_id: str
    scopes: list
    resource: str | None
    is_revoked: bool = False


class Provider(OAuthAuthorizationServerProvider):
    """The SDK's storage protocol, in memory."""

    def __init__(self, settings):
        self.settings = settings
        self.clients = {client.client_id: client for client in known_clients(settings.scopes)}
        self.logins = {}          # identifier: (client, parameters) of authorization requests without an answer
        self.consents = {}        # identifier: login whose user has authenticated
        self.codes = {}           # code: (AuthorizationCode, Grant)
        self.access_tokens = {}   # token: (AccessToken, Grant)
        self.refresh_tokens = {}  # token: (RefreshToken, Grant), rotated ones included
        self.rotated = set()
        self.limit = None         # the scopes that a login may grant, or None for all requested ones

    # Clients

    async def get_client(self, client_id):
        return self.clients.get(client_id)

    async def register_client(self, client_info):
        self.clients[client_info.client_id] = client_info

    # The authorization request

    async def authorize(self, client, params):
        refusal = self.refuse_resource([params.resource] if params.resource else [])
        if refusal:
            raise AuthorizeError(error="invalid_target", error_description=refusal)
        identifier = secrets.token_urlsafe(16)
        self.logins[identifier] = (client, params)
        return f"{self.settings.issuer.rstrip('/')}/login?" + urllib.parse.urlencode({"login": identifier})

    def refuse_resource(self, values):
        """Returns why the `resource` parameters of a request are not acceptable, or None."""
        if len(values) > 1:
            return "resource occurs more than once"
        if not values:
            return "resource is missing" if self.settings.requires_resource else None
        origin = self.settings.resources
        if values[0] != origin and not values[0].startswith(origin + "/"):
            return f"resource is not on {origin}"
        return None

    def finish(self, identifier, is_allowed):
        """Returns the redirect that answers an authorization request."""
        client, params = self.logins.pop(identifier)
        if not is_allowed:
            return self.redirect(params, error="access_denied", error_description="The user declined")
        scopes = params.scopes or []
        if self.limit is not None:
            scopes = [scope for scope in scopes if scope in self.limit]
        code = AuthorizationCode(
            code=f"{self.settings.name}-code-{secrets.token_urlsafe(24)}", scopes=scopes,
            expires_at=time.time() + CODE_SECONDS, client_id=client.client_id, code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri, redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource, subject=USER)
        self.codes[code.code] = (code, Grant(client.client_id, scopes, params.resource))
        return self.redirect(params, code=code.code)

    def redirect(self, params, **values):
        if self.settings.issuer_parameter == "sent":
            values["iss"] = self.settings.issuer
        elif self.settings.issuer_parameter == "wrong":
            values["iss"] = "https://other.example.test"
        return construct_redirect_uri(str(params.redirect_uri), **values, state=params.state)

    # Tokens

    async def load_authorization_code(self, client, authorization_code):
        code, grant = self.codes.get(authorization_code, (None, None))
        return code if code and not grant.is_revoked else None

    async def exchange_authorization_code(self, client, authorization_code):
        _, grant = self.codes.pop(authorization_code.code)
        return self.issue(grant, grant.scopes)

    async def load_refresh_token(self, client, refresh_token):
        token, grant = self.refresh_tokens.get(refresh_token, (None, None))
        if not token or token.client_id != client.client_id:
            return None
        if refresh_token in self.rotated:
            # A rotated refresh token that is used again may be stolen.
            grant.is_revoked = True
        return None if grant.is_revoked else token

    async def exchange_refresh_token(self, client, refresh_token, scopes):
        self.rotated.add(refresh_token.token)
        return self.issue(self.refresh_tokens[refresh_token.token][1], scopes)

    async def exchange_identity_assertion(self, client, params):
        """Issues a token for a workload whose platform vouches for it (RFC 7523, 2.1)."""
        try:
            keys = jwt.PyJWKSet.from_json(pathlib.Path(self.settings.platform_keys).read_text())
            key = keys[jwt.get_unverified_header(params.assertion)["kid"]]
            claims = jwt.decode(
                params.assertion, key.key, algorithms=["ES256"], audience=self.settings.issuer,
                issuer=self.settings.platform, options={"require": ["exp", "sub"]})
        except (jwt.InvalidTokenError, KeyError) as error:
            raise TokenError("invalid_grant", f"The assertion is not acceptable: {error}") from error
        grant = Grant(client.client_id, params.scopes or [], params.resource)
        answer = self.issue(grant, grant.scopes, subject=claims["sub"])
        answer.refresh_token = None
        return answer

    def issue(self, grant, scopes, subject=USER):
        """Issues an access token and, unless `offline_access` is offered and was not granted, a refresh token."""
        seconds = self.settings.access_token_seconds
        common = {"client_id": grant.client_id, "resource": grant.resource, "subject": subject}
        access = AccessToken(
            token=self.new_token("access"), scopes=scopes, expires_at=int(time.time()) + seconds,
            claims={"iss": self.settings.issuer}, **common)
        self.access_tokens[access.token] = (access, grant)
        refresh = None
        if "offline_access" not in self.settings.scopes or "offline_access" in grant.scopes:
            refresh = RefreshToken(
                token=self.new_token("refresh"), scopes=grant.scopes,
                expires_at=int(time.time()) + REFRESH_TOKEN_SECONDS, **common)
            self.refresh_tokens[refresh.token] = (refresh, grant)
        return OAuthToken(
            access_token=access.token, expires_in=seconds, scope=" ".join(scopes),
            refresh_token=refresh and refresh.token)

    def new_token(self, kind):
        return f"{self.settings.name}-{kind}-{secrets.token_urlsafe(24)}"

    async def load_access_token(self, token):
        access, grant = self.access_tokens.get(token, (None, None))
        if not access or grant.is_revoked or access.expires_at <= time.time():
            return None
        return access

    async def revoke_token(self, token):
        """Revokes the grant, and with it every token of the login."""
        _, grant = self.access_tokens.get(token.token) or self.refresh_tokens[token.token]
        grant.is_revoked = True

    def resource_of(self, form):
        """Returns the resource of the code or refresh token in a token request, or None when there is neither."""
        _, grant = self.codes.get(form.get("code"), (None, None))
        if not grant:
            _, grant = self.refresh_tokens.get(form.get("refresh_token"), (None, None))
        return grant and grant.resource


def known_clients(scopes):
    """The clients that need no registration: public, basic and post, the latter two with the secret s3cret."""
    methods = {"public": "none", "basic": "client_secret_basic", "post": "client_secret_post"}
    for name, method in methods.items():
        yield OAuthClientInformationFull(
            client_id=name, client_name=name, client_secret=None if method == "none" else "s3cret",
            redirect_uris=REDIRECT_URIS, token_endpoint_auth_method=method, scope=" ".join(scopes),
            grant_types=["authorization_code", "refresh_token", JWT_BEARER_GRANT_TYPE])


class ResourceCheck:
    """Checks `resource` at the token endpoint (RFC 8707, 2.2), which the SDK parses and leaves unused."""

    def __init__(self, app, provider):
        self.app, self.provider = app, provider

    async def __call__(self, scope, receive, send):
        body = await read_body(receive)
        fields = urllib.parse.parse_qs(body.decode(errors="replace"))
        resources = fields.get("resource", [])
        refusal = self.provider.refuse_resource(resources)
        granted = self.provider.resource_of({name: values[0] for name, values in fields.items()})
        if not refusal and resources and granted and resources[0] != granted:
            refusal = f"the grant is for {granted}"
        if refusal and scope["method"] == "POST":
            app = JSONResponse({"error": "invalid_target", "error_description": refusal}, 400)
        else:
            app = self.app
        await app(scope, replay(body, receive), send)


class Server:
    """An authorization server as an ASGI application."""

    def __init__(self, settings):
        self.settings = settings
        self.provider = Provider(settings)
        self.app = Recorder(Starlette(routes=self.routes()))

    @property
    def requests(self):
        return self.app.requests

    def routes(self):
        settings = self.settings
        registration = ClientRegistrationOptions(
            enabled=settings.can_register, valid_scopes=settings.scopes, default_scopes=settings.scopes)
        revocation = RevocationOptions(enabled=True)
        # AuthSettings keeps an issuer without a path free of the slash that a URL type would add.
        issuer = AuthSettings(issuer_url=settings.issuer, resource_server_url=None).issuer_url
        routes = create_auth_routes(
            self.provider, issuer, client_registration_options=registration, revocation_options=revocation,
            **({"identity_assertion_enabled": True} if settings.platform else {}))
        metadata = build_metadata(
            issuer, None, registration, revocation,
            **({"supports_identity_assertion": True} if settings.platform else {}))
        if settings.issuer_parameter:
            metadata.authorization_response_iss_parameter_supported = True

        path = urllib.parse.urlsplit(settings.issuer).path.rstrip("/")
        endpoints = [route for route in routes if not route.path.startswith("/.well-known")]
        for route in endpoints:
            if route.path == "/token":
                route.app = ResourceCheck(route.app, self.provider)
        endpoints += [
            Route("/login", self.log_in, methods=["GET", "POST"]),
            Route("/introspect", self.introspect, methods=["POST"]),
        ]
        return [
            Route(metadata_path(settings.metadata, path), cors_middleware(MetadataHandler(metadata).handle, ["GET"])),
            Route("/control/revoke", self.revoke_all, methods=["POST"]),
            Route("/control/limit", self.limit, methods=["POST"]),
            Route("/control/forget", self.forget, methods=["POST"]),
            Mount(path, routes=endpoints) if path else Mount("/", routes=endpoints),
        ]

    # Pages

    async def log_in(self, request):
        """The login page, then the consent page, then the redirect."""
        identifier = request.query_params.get("login", "")
        form = await form_of(request)
        if identifier not in self.provider.logins:
            return page("Error", "This login is not in progress.", status=400)
        if request.method == "GET":
            return page("Log in", "", LOGIN_FIELDS)
        if self.provider.consents.get(form.get("consent")) == identifier:
            del self.provider.consents[form["consent"]]
            target = self.provider.finish(identifier, form.get("decision") == "allow")
            return RedirectResponse(target, 302, {"Cache-Control": "no-store"})
        if (form.get("username"), form.get("password")) != (USER, PASSWORD):
            return page("Log in", "Wrong name or password.", LOGIN_FIELDS, status=401)
        client, params = self.provider.logins[identifier]
        consent = secrets.token_urlsafe(16)
        self.provider.consents[consent] = identifier
        text = f"{client.client_name or client.client_id} asks for {' '.join(params.scopes or [])} at {params.resource}"
        return page("Allow access", text, CONSENT_FIELDS.format(consent=consent))

    # The resource server's question

    async def introspect(self, request):
        token = await self.provider.load_access_token((await form_of(request)).get("token", ""))
        if not token:
            return JSONResponse({"active": False})
        return JSONResponse({
            "active": True, "client_id": token.client_id, "scope": " ".join(token.scopes), "exp": token.expires_at,
            "token_type": "Bearer", "aud": token.resource, "sub": token.subject, "iss": self.settings.issuer,
        })

    # Control

    async def revoke_all(self, request):
        """Revokes all grants; with `kind=access` the access tokens only."""
        if (await form_of(request)).get("kind") == "access":
            self.provider.access_tokens.clear()
        else:
            for _, grant in [*self.provider.access_tokens.values(), *self.provider.refresh_tokens.values()]:
                grant.is_revoked = True
        return Response(status_code=204)

    async def limit(self, request):
        """Limits the scopes that later logins grant to `scope`; without it, lifts the limit."""
        scope = (await form_of(request)).get("scope")
        self.provider.limit = None if scope is None else scope.split()
        return Response(status_code=204)

    async def forget(self, request):
        """Forgets all dynamic registrations and their grants."""
        self.provider.clients = {client.client_id: client for client in known_clients(self.settings.scopes)}
        return Response(status_code=204)


def metadata_path(kind, path):
    """The path of the metadata: RFC 8414's, OpenID Connect's in RFC 8414's place, or OpenID Connect's own."""
    return {
        "oauth": f"/.well-known/oauth-authorization-server{path}",
        "openid": f"/.well-known/openid-configuration{path}",
        "appended": f"{path}/.well-known/openid-configuration",
    }[kind]


def page(title, text, fields="", status=200):
    body = PAGE.format(title=title, text=html.escape(text), fields=fields)
    return HTMLResponse(body, status, {"Cache-Control": "no-store"})
