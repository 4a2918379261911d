"""pyop as an OpenID Provider, behind the few pages that its example has.

usage: op.py PORT      issuer http://127.0.0.1:PORT
ACCESS_TOKEN_SECONDS: lifetime of access tokens (default 3600)
"""
import html
import http.cookies
import json
import os
import secrets
import sys
import urllib.parse
from wsgiref.simple_server import WSGIRequestHandler, make_server

from Cryptodome.PublicKey import RSA
from jwkest.jwk import RSAKey
from oic.oic.message import EndSessionRequest, TokenErrorResponse, UserInfoErrorResponse
from pyop.authz_state import AuthorizationState
from pyop.exceptions import (
    BearerTokenError, InvalidAccessToken, InvalidAuthenticationRequest, InvalidClientAuthentication,
    InvalidClientRegistrationRequest, OAuthError)
from pyop.provider import Provider
from pyop.subject_identifier import HashBasedSubjectIdentifierFactory
from pyop.userinfo import Userinfo
from pyop.util import should_fragment_encode

BASE = f"http://127.0.0.1:{sys.argv[1]}"
USERS = {"alice": {"name": "Alice Doe", "preferred_username": "alice", "email": "alice@example.test",
                   "email_verified": True}}
METADATA = {
    "authorization_endpoint": f"{BASE}/authentication",
    "jwks_uri": f"{BASE}/jwks",
    "token_endpoint": f"{BASE}/token",
    "userinfo_endpoint": f"{BASE}/userinfo",
    "registration_endpoint": f"{BASE}/registration",
    "end_session_endpoint": f"{BASE}/logout",
    "scopes_supported": ["openid", "profile", "email", "offline_access"],
    "response_types_supported": ["code", "code id_token"],
}
LOGIN_PAGE = """<!doctype html><html lang="en"><title>Log in</title><h1>Log in</h1><form method="post" action="/login">
<input type="hidden" name="request" value="{}"><input name="username"><input name="password" type="password">
<button>Log in</button></form></html>"""


def make_provider():
    state = AuthorizationState(
        HashBasedSubjectIdentifierFactory("for tests only"), refresh_token_lifetime=1209600,
        access_token_lifetime=int(os.environ.get("ACCESS_TOKEN_SECONDS", "3600")), refresh_token_threshold=1209601)
    key = RSAKey(key=RSA.generate(2048), alg="RS256", use="sig", kid="op-1")
    # The library takes no issuer without https.
    made = Provider(key, METADATA | {"issuer": "https://op.example"}, state, {}, Userinfo(USERS))
    made.configuration_information["issuer"] = BASE
    return made


provider = make_provider()
sessions = {}  # cookie: user


def answer_json(text, status="200 OK", *headers):
    return status, [("Content-Type", "application/json"), *headers], text


def redirect(url, *headers):
    return "303 See Other", [("Location", url), *headers], ""


def configuration(*_):
    return answer_json(provider.provider_configuration.to_json())


def jwks(*_):
    return answer_json(json.dumps(provider.jwks))


def authentication(query, headers, user):
    try:
        request = provider.parse_authentication_request(query, headers)
    except InvalidAuthenticationRequest as error:
        if url := error.to_error_url():
            return redirect(url)
        return "400 Bad Request", [("Content-Type", "text/plain")], f"Something went wrong: {error}"
    if not user:
        return "200 OK", [("Content-Type", "text/html")], LOGIN_PAGE.format(html.escape(query))
    response = provider.authorize(request, user)
    return redirect(response.request(request["redirect_uri"], should_fragment_encode(request)))


def login(form, headers, _):
    values = dict(urllib.parse.parse_qsl(form))
    if values.get("username") not in USERS or values.get("password") != "password":
        return "401 Unauthorized", [("Content-Type", "text/plain")], "wrong name or password"
    cookie = secrets.token_urlsafe()
    sessions[cookie] = values["username"]
    return redirect(f"{BASE}/authentication?{values['request']}", ("Set-Cookie", f"session={cookie}; HttpOnly"))


def token(form, headers, _):
    try:
        return answer_json(provider.handle_token_request(form, headers).to_json())
    except InvalidClientAuthentication as error:
        body = TokenErrorResponse(error="invalid_client", error_description=str(error)).to_json()
        return answer_json(body, "401 Unauthorized", ("WWW-Authenticate", "Basic"))
    except OAuthError as error:
        body = TokenErrorResponse(error=error.oauth_error, error_description=str(error)).to_json()
        return answer_json(body, "400 Bad Request")


def userinfo(request, headers, _):
    try:
        return answer_json(provider.handle_userinfo_request(request, headers).to_json())
    except (BearerTokenError, InvalidAccessToken) as error:
        body = UserInfoErrorResponse(error="invalid_token", error_description=str(error)).to_json()
        return answer_json(body, "401 Unauthorized", ("WWW-Authenticate", "Bearer"))


def registration(body, headers, _):
    try:
        return answer_json(provider.handle_client_registration_request(body).to_json(), "201 Created")
    except InvalidClientRegistrationRequest as error:
        return answer_json(error.to_json(), "400 Bad Request")


def logout(query, headers, user):
    request = EndSessionRequest().deserialize(query)
    provider.logout_user(None, request)
    end = ("Set-Cookie", "session=; Max-Age=0")
    if url := provider.do_post_logout_redirect(request):
        return redirect(url, end)
    return "200 OK", [("Content-Type", "text/plain"), end], "logged out"


ROUTES = {"/.well-known/openid-configuration": configuration} | {
    f"/{route.__name__}": route
    for route in (jwks, authentication, login, token, userinfo, registration, logout)}


def application(environment, start_response):
    route = ROUTES.get(environment["PATH_INFO"])
    size = int(environment.get("CONTENT_LENGTH") or 0)
    request = environment["wsgi.input"].read(size).decode() if size else environment["QUERY_STRING"]
    headers = {"Authorization": environment["HTTP_AUTHORIZATION"]} if "HTTP_AUTHORIZATION" in environment else {}
    cookie = http.cookies.SimpleCookie(environment.get("HTTP_COOKIE")).get("session")
    user = cookie and sessions.get(cookie.value)
    status, fields, body = route(request, headers, user) if route else ("404 Not Found", [], "")
    start_response(status, [*fields, ("Cache-Control", "no-store")])
    return [body.encode()]


class RequestHandler(WSGIRequestHandler):
    def log_message(self, format, *arguments):
        """Logs method, path and status; the query may hold codes."""
        print(self.command, self.path.partition("?")[0], *arguments[1:2], flush=True)


if __name__ == "__main__":
    make_server("127.0.0.1", int(sys.argv[1]), application, handler_class=RequestHandler).serve_forever()
