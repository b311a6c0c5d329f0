"""Drives a server with the official Python SDK client: client.py SERVER PROJECT legacy|modern."""
import asyncio
import sys

from mcp import Client, MCPError, StdioServerParameters

TOOLS = ["oracle_catalogo_efectivo", "oracle_evaluar", "oracle_desafiar", "oracle_juzgar", "oracle_tareas"]


async def main(server: str, project: str, era: str) -> None:
    mode = "legacy" if era == "legacy" else "auto"
    parameters = StdioServerParameters(command=server, args=["--proyecto", project])
    async with Client(parameters, mode=mode) as client:
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == TOOLS, listed

        index = await client.call_tool("oracle_catalogo_efectivo", {})
        assert not index.is_error, index
        rows = index.structured_content["medidas"]
        assert index.structured_content["total"] == len(rows) > 0, index

        ids = [row["id"] for row in rows]
        detail = await client.call_tool("oracle_catalogo_efectivo", {"ids": ids})
        measures = detail.structured_content["medidas"]
        assert detail.structured_content["detalle"] is True and len(measures) == len(ids), detail

        # Empty relations for each measure: an answer or a domain error, both through the SDK's own checks.
        for measure in measures:
            evidence = {relation: [] for relation in measure["relaciones"]}
            verdict = await client.call_tool("oracle_evaluar", {"medida": {"id": measure["id"]}, "evidencia": evidence})
            assert verdict.is_error or verdict.structured_content["estado"] in ("verde", "rojo", "sin_evidencia"), verdict

        bad = await client.call_tool("oracle_evaluar", {"medida": {"id": ids[0]}})
        assert bad.is_error and bad.content[0].text.startswith("ARGUMENTOS_INVALIDOS — "), bad
        try:
            await client.call_tool("oracle_proponer", {})
        except MCPError as error:
            assert error.error.code == -32602, error
        else:
            raise AssertionError("an unknown tool was answered")
    print(f"python sdk, {era}: {len(ids)} measures listed, detailed and evaluated")


asyncio.run(main(*sys.argv[1:]))
