"""Two protected MCP servers on one port, /mcp and /notes, made of the MCP SDK.

The SDK's own code serves the protected resource metadata, checks tokens and answers 401 and 403. At /mcp the tool
`write_note` needs the scope `notes:write` besides the required ones; /notes needs it for every request.
"""
import contextlib
import dataclasses

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.middleware.bearer_auth import RequireAuthMiddleware
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.routes import create_protected_resource_routes
from mcp.server.auth.settings import AuthSettings
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from asgi import Recorder, StepUp, form_of
from sdk import MCPServer, httpx

WRITE = "notes:write"
WELL_KNOWN = "/.well-known/oauth-protected-resource"


@dataclasses.dataclass
class Settings:
    """How the resource server behaves."""

    base: str
    issuers: dict                      # issuer: the prefix of its tokens; the first is named at the start
    required_scopes: list
    sends_scope: bool = False          # adds `scope` to challenges, which the SDK leaves out
    answers_json: bool = False


class Verifier:
    """Asks the resource's authorization server about a token (RFC 7662)."""

    def __init__(self, resource):
        self.resource = resource

    async def verify_token(self, token):
        issuer = self.resource.issuer
        # A token of another authorization server is not shown to this one.
        if not token.startswith(self.resource.settings.issuers[issuer] + "-"):
            return None
        async with httpx.AsyncClient() as client:
            reply = await client.post(issuer.rstrip("/") + "/introspect", data={"token": token})
        answer = reply.json()
        if not answer.get("active"):
            return None
        audience = answer["aud"]
        # The SDK compares the audience with the resource's URL; a parent that the metadata names counts as it.
        if audience == self.resource.named:
            audience = self.resource.url
        return AccessToken(
            token=token, client_id=answer["client_id"], scopes=answer["scope"].split(), expires_at=answer["exp"],
            resource=audience, subject=answer["sub"], claims={"iss": answer["iss"]})


class ScopeInChallenge:
    """Adds `scope` to the SDK's challenges, as MCP asks of servers."""

    def __init__(self, app, scopes):
        self.app, self.scopes = app, scopes

    async def __call__(self, scope, receive, send):
        async def add(message):
            if message["type"] == "http.response.start" and message["status"] in (401, 403):
                message["headers"] = [
                    (name, value + f', scope="{" ".join(self.scopes)}"'.encode()
                     if name == b"www-authenticate" else value)
                    for name, value in message["headers"]]
            await send(message)

        await self.app(scope, receive, add)


class Resource:
    """One protected MCP server."""

    def __init__(self, settings, path, scopes, step_up=()):
        self.settings, self.path, self.scopes = settings, path, scopes
        self.url = self.named = settings.base + path
        self.issuer = next(iter(settings.issuers))
        # With `scope` in the challenges the metadata list all scopes; without it they list the required ones alone,
        # as the SDK has it, and a client cannot learn of the others.
        self.supported = scopes + (list(step_up) if settings.sends_scope else [])
        self.server = MCPServer(
            f"AuthStateKit test server {path}",
            token_verifier=Verifier(self),
            auth=AuthSettings(
                issuer_url=self.issuer, resource_server_url=self.url, required_scopes=scopes,
                validate_token_resource=True))
        self.app = self.server.streamable_http_app(streamable_http_path=path, json_response=settings.answers_json)
        if step_up:
            self.guard(step_up)
        elif settings.sends_scope:
            route = self.route(path)
            route.app = ScopeInChallenge(route.app, scopes)
        self.write_metadata()

    def route(self, path):
        return next(route for route in self.app.routes if route.path == path)

    def guard(self, step_up):
        route = self.route(self.path)
        usual = route.app
        # The SDK has no scopes for single tools; its middleware answers all the same.
        strict = RequireAuthMiddleware(usual.app, self.scopes + list(step_up), usual.resource_metadata_url)
        if self.settings.sends_scope:
            usual, strict = ScopeInChallenge(usual, self.scopes), ScopeInChallenge(strict, strict.required_scopes)
        route.app = StepUp(usual, strict)

    def write_metadata(self):
        """Replaces the route of the metadata by one for the present issuer and name."""
        path = WELL_KNOWN + self.path
        settings = AuthSettings(
            issuer_url=self.issuer, resource_server_url=self.named, validate_token_resource=True)
        made = create_protected_resource_routes(
            settings.resource_server_url, [settings.issuer_url], scopes_supported=self.supported)
        routes = self.app.router.routes
        routes[:] = [route for route in routes if route.path != path]
        routes.append(Route(path, made[0].endpoint, methods=["GET", "OPTIONS"]))


class Server:
    """The resource server as an ASGI application."""

    def __init__(self, settings):
        self.settings = settings
        scopes = settings.required_scopes
        self.mcp = Resource(settings, "/mcp", scopes, step_up=[WRITE])
        self.notes = Resource(settings, "/notes", scopes + [WRITE])
        add_tools(self.mcp.server, self.notes.server)
        self.control = Starlette(routes=[
            Route("/control/issuer", self.set_issuer, methods=["POST"]),
            Route("/control/name", self.set_name, methods=["POST"]),
            Route("/control/ready", lambda request: Response()),
        ], lifespan=self.lifespan)
        self.app = Recorder(self.dispatch)

    @contextlib.asynccontextmanager
    async def lifespan(self, app):
        async with self.mcp.server.session_manager.run(), self.notes.server.session_manager.run():
            yield

    async def dispatch(self, scope, receive, send):
        path = scope.get("path", "/control/")
        if path.startswith("/control/"):
            app = self.control
        else:
            app = self.notes.app if path.endswith("/notes") else self.mcp.app
        await app(scope, receive, send)

    async def set_issuer(self, request):
        """Names another authorization server in both resources' metadata; tokens of the last one are refused."""
        issuer = (await form_of(request)).get("issuer")
        if issuer not in self.settings.issuers:
            return JSONResponse({"issuers": list(self.settings.issuers)}, 400)
        for resource in (self.mcp, self.notes):
            resource.issuer = issuer
            resource.write_metadata()
        return Response(status_code=204)

    async def set_name(self, request):
        """Puts `resource` as the resource's name into the metadata of /mcp; without it, the URL of /mcp."""
        self.mcp.named = (await form_of(request)).get("resource", self.mcp.url)
        self.mcp.write_metadata()
        return Response(status_code=204)


def add_tools(mcp, notes):
    written = []

    @mcp.tool()
    def whoami() -> dict:
        """Returns the user, client, scopes and resource of the access token."""
        token = get_access_token()
        return {
            "subject": token.subject, "client_id": token.client_id, "scopes": token.scopes, "resource": token.resource,
            "issuer": token.claims["iss"],
        }

    @mcp.tool()
    def add(a: int, b: int) -> int:
        """Adds two numbers."""
        return a + b

    @mcp.tool()
    def write_note(text: str) -> int:
        """Keeps a note and returns how many there are. Needs the scope notes:write."""
        written.append(text)
        return len(written)

    @notes.tool()
    def list_notes() -> list[str]:
        """Returns all notes."""
        return written
