"""A host of the Model Context Protocol, made of its SDK for Python: starts servers on standard input and output.

usage: mcp-host.py COUNT MODE CALLS COMMAND…

COUNT   the number of servers, which are started at the same moment
MODE    legacy (a handshake), auto, or a revision
CALLS   a JSON list of tools to call, each a list of name and arguments

Prints one JSON object for each server: the revision, the names of the tools, and the text of each answer; or an error.
"""
import asyncio
import json
import os
import sys

import mcp

count, mode, calls, command = int(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3]), sys.argv[4:]


async def use():
    server = mcp.StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    try:
        async with mcp.Client(server, mode=mode) as client:
            tools = await client.list_tools()
            answers = [(await client.call_tool(name, arguments)).content[0].text for name, arguments in calls]
            return {"revision": client.protocol_version, "tools": [tool.name for tool in tools.tools], "answers": answers}
    except Exception as error:  # noqa: BLE001  The test reads what became of each.
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        return {"error": str(error)}


async def main():
    for result in await asyncio.gather(*(use() for _ in range(count))):
        print(json.dumps(result))


asyncio.run(main())
