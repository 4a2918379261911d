"""The names of the MCP SDK that its first and its second generation have in different places."""
try:
    import httpx2 as httpx
    from mcp.server.mcpserver.server import MCPServer
    from mcp.shared.auth import JWT_BEARER_GRANT_TYPE
except ImportError:
    import httpx
    from mcp.server.fastmcp import FastMCP

    JWT_BEARER_GRANT_TYPE = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    class MCPServer(FastMCP):
        """The server of the first generation, with the second one's interface."""

        def streamable_http_app(self, streamable_http_path, json_response):
            self.settings.streamable_http_path = streamable_http_path
            self.settings.json_response = json_response
            return super().streamable_http_app()

__all__ = ["JWT_BEARER_GRANT_TYPE", "MCPServer", "httpx"]
