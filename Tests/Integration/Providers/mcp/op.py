"""A protected MCP resource server and its authorization servers, each on a port of its own, in one process.

usage: op.py RESOURCE_PORT ISSUER_PORT [SECOND_ISSUER_PORT]      start.sh describes the environment
"""
import asyncio
import os
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))  # asgi.py

import uvicorn  # noqa: E402

import authorization  # noqa: E402
import resource_server  # noqa: E402
from asgi import Listener  # noqa: E402


def is_set(name, default="0"):
    return os.environ.get(name, default) == "1"


def listener(app, port):
    return Listener(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning"))


def main():
    resource_port, *issuer_ports = map(int, sys.argv[1:])
    base = f"http://127.0.0.1:{resource_port}"
    required = os.environ.get("REQUIRED_SCOPES", "mcp").split()
    scopes = required + [resource_server.WRITE] + (["offline_access"] if is_set("OFFLINE_ACCESS") else [])
    ending = os.environ.get("ISSUER_PATH", "") + ("/" if is_set("ISSUER_SLASH") else "")
    servers = [
        authorization.Server(authorization.Settings(
            name=name, issuer=f"http://127.0.0.1:{port}{ending}", resources=base, scopes=scopes,
            access_token_seconds=int(os.environ.get("ACCESS_TOKEN_SECONDS", "3600")),
            can_register=is_set("REGISTRATION", "1"),
            issuer_parameter=os.environ.get("ISSUER_PARAMETER", ""),
            metadata=os.environ.get("METADATA", "oauth"),
            requires_resource=is_set("RESOURCE_REQUIRED", "1"),
            platform=os.environ.get("PLATFORM_ISSUER", ""), platform_keys=os.environ.get("PLATFORM_KEYS", "")))
        for name, port in zip(("first", "second"), issuer_ports)]
    resource = resource_server.Server(resource_server.Settings(
        base=base, issuers={server.settings.issuer: server.settings.name for server in servers},
        required_scopes=required, sends_scope=is_set("SCOPE_IN_CHALLENGE"), answers_json=is_set("JSON_RESPONSE")))

    async def serve():
        pairs = [(resource.app, resource_port)] + [(server.app, port) for server, port in zip(servers, issuer_ports)]
        await asyncio.gather(*(listener(app, port).serve() for app, port in pairs))

    asyncio.run(serve())


if __name__ == "__main__":
    main()
