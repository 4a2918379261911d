"""An https server for git, registry clients and kubectl, which asks an OpenID provider about the credentials that it gets.

usage: server.py PORT STATE_FOLDER
"""
import base64
import http.server
import json
import os
import ssl
import subprocess
import sys
import threading
import urllib.error
import urllib.request

import jwt

ISSUER = os.environ["UPSTREAM_ISSUER"]
CLIENT_ID = os.environ["UPSTREAM_CLIENT_ID"]
PORT, STATE = int(sys.argv[1]), sys.argv[2]

requests, lock = [], threading.Lock()
refusals = 0


def fetch(url, token=None):
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"} if token else {})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def discovery():
    return fetch(f"{ISSUER.rstrip('/')}/.well-known/openid-configuration")


def user_of_access_token(token):
    """The subject that the provider's userinfo knows; None for a token that it does not take."""
    try:
        return fetch(discovery()["userinfo_endpoint"], token)["sub"]
    except (urllib.error.URLError, KeyError, ValueError):
        return None


def user_of_id_token(token):
    """The subject of an ID token with a good signature, issuer, audience and expiry; None for another one."""
    try:
        key = jwt.PyJWKClient(discovery()["jwks_uri"]).get_signing_key_from_jwt(token)
        return jwt.decode(token, key, algorithms=["RS256", "ES256"], audience=CLIENT_ID, issuer=ISSUER)["sub"]
    except (jwt.PyJWTError, urllib.error.URLError, KeyError, ValueError):
        return None


API = {
    "/version": {"major": "1", "minor": "30", "gitVersion": "v1.30.0"},
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
    "/api/v1": {
        "kind": "APIResourceList", "groupVersion": "v1",
        "resources": [{"name": "namespaces", "singularName": "namespace", "namespaced": False, "kind": "Namespace",
                       "verbs": ["get", "list"], "shortNames": ["ns"]}],
    },
    "/api/v1/namespaces": {
        "kind": "NamespaceList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"},
        "items": [{"kind": "Namespace", "apiVersion": "v1",
                   "metadata": {"name": "authstate", "creationTimestamp": "2026-01-01T00:00:00Z"},
                   "status": {"phase": "Active"}}],
    },
}


# The paths of a registry that `skopeo inspect --raw` and `docker manifest inspect` need (OCI distribution specification).
MANIFEST = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": []}
REGISTRY = {"/v2/": {}, "/v2/project/manifests/latest": MANIFEST}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, body, content_type="application/json", headers=()):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            data = b""
            while size := int(self.rfile.readline().strip(), 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return data
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def is_refused(self):
        global refusals
        with lock:
            refusals -= 1
            return refusals >= 0

    def do_GET(self):
        global refusals
        path, _, query = self.path.partition("?")
        body = self.body()
        if path == "/control/ready":
            return self.answer(200, {})
        if path == "/control/log":
            return self.answer(200, requests)
        if path == "/control/refuse":
            refusals = 1
            return self.answer(200, {})
        scheme, _, secret = self.headers.get("Authorization", "").partition(" ")
        user, name = None, None
        takes_password = path.startswith(("/git/", "/v2/"))
        if takes_password:
            if scheme == "Basic":
                name, _, password = base64.b64decode(secret).decode().partition(":")
                user = None if self.is_refused() else user_of_access_token(password)
        elif scheme == "Bearer":
            user = None if self.is_refused() else user_of_id_token(secret)
        with lock:
            requests.append({"method": self.command, "path": path, "scheme": scheme, "name": name, "user": user})
        if user is None:
            challenge = 'Basic realm="test"' if takes_password else "Bearer"
            status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "Unauthorized",
                      "reason": "Unauthorized", "code": 401}
            return self.answer(401, status, headers=[("WWW-Authenticate", challenge)])
        if path.startswith("/git/"):
            return self.git(path, query, body, name)
        if path in REGISTRY:
            return self.answer(200, REGISTRY[path], REGISTRY[path].get("mediaType", "application/json"))
        if path in API:
            return self.answer(200, API[path])
        self.answer(404, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404})

    do_POST = do_GET

    def git(self, path, query, body, name):
        environment = {
            **os.environ, "GIT_PROJECT_ROOT": STATE, "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": path.removeprefix("/git"),
            "QUERY_STRING": query, "REQUEST_METHOD": self.command, "REMOTE_USER": name, "REMOTE_ADDR": "127.0.0.1",
            "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }
        output = subprocess.run(
            ["git", "http-backend"], input=body, env=environment, stdout=subprocess.PIPE, check=False).stdout
        head, _, content = output.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
        status = int(fields.pop("Status", "200").split()[0])
        self.answer(status, content, fields.pop("Content-Type", "text/plain"), fields.items())


server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(f"{STATE}/tls.pem", f"{STATE}/tls.key")
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
