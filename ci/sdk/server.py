"""Why: what the official Python SDK does by itself, for the scoreboard. Two tools that only read."""
import asyncio

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("minimal-python")
READ = ToolAnnotations(read_only_hint=True)


@server.tool(annotations=READ)
def count_words(text: str) -> dict[str, int]:
    """Counts the words of a text."""
    return {"words": len(text.split())}


@server.tool(annotations=READ)
async def wait(milliseconds: int) -> str:
    """Waits, then says so."""
    await asyncio.sleep(milliseconds / 1000)
    return "waited"


if __name__ == "__main__":
    server.run("stdio")
