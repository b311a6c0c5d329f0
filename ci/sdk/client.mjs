// Drives a server with the official TypeScript SDK client: client.mjs SERVER PROJECT legacy|modern.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const TOOLS = ["oracle_catalogo_efectivo", "oracle_evaluar", "oracle_desafiar", "oracle_juzgar", "oracle_tareas"];
const [server, project, era] = process.argv.slice(2);
const mode = era === "legacy" ? "legacy" : { pin: "2026-07-28" };

const client = new Client({ name: "sdk-clients", version: "1.0.0" }, { versionNegotiation: { mode } });
await client.connect(new StdioClientTransport({ command: server, args: ["--proyecto", project] }));

const { tools } = await client.listTools();
assert.deepEqual(tools.map((tool) => tool.name), TOOLS);

const index = await client.callTool({ name: "oracle_catalogo_efectivo", arguments: {} });
assert.ok(!index.isError, JSON.stringify(index));
const ids = index.structuredContent.medidas.map((row) => row.id);
assert.ok(ids.length > 0 && index.structuredContent.total === ids.length);

const detail = await client.callTool({ name: "oracle_catalogo_efectivo", arguments: { ids } });
assert.equal(detail.structuredContent.medidas.length, ids.length);

// Empty relations for each measure: an answer or a domain error, both through the SDK's own checks.
for (const measure of detail.structuredContent.medidas) {
  const evidencia = Object.fromEntries(measure.relaciones.map((relation) => [relation, []]));
  const verdict = await client.callTool({ name: "oracle_evaluar", arguments: { medida: { id: measure.id }, evidencia } });
  assert.ok(verdict.isError || ["verde", "rojo", "sin_evidencia"].includes(verdict.structuredContent.estado));
}

const bad = await client.callTool({ name: "oracle_evaluar", arguments: { medida: { id: ids[0] } } });
assert.ok(bad.isError && bad.content[0].text.startsWith("ARGUMENTOS_INVALIDOS — "), JSON.stringify(bad));
await assert.rejects(client.callTool({ name: "oracle_proponer", arguments: {} }), (error) => error.code === -32602);

await client.close();
console.log(`typescript sdk, ${era}: ${ids.length} measures listed, detailed and evaluated`);
