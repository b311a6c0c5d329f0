// Why: what the official TypeScript SDK does by itself, for the scoreboard. Two tools that only read.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const readOnly = { readOnlyHint: true };

serveStdio(() => {
  const server = new McpServer({ name: 'minimal-typescript', version: '1.0.0' });
  server.registerTool(
    'count_words',
    {
      description: 'Counts the words of a text.',
      inputSchema: z.object({ text: z.string() }),
      outputSchema: z.object({ words: z.number().int() }),
      annotations: readOnly,
    },
    ({ text }) => {
      const counted = { words: text.split(/\s+/).filter(Boolean).length };
      return { content: [{ type: 'text', text: JSON.stringify(counted) }], structuredContent: counted };
    },
  );
  server.registerTool(
    'wait',
    {
      description: 'Waits, then says so.',
      inputSchema: z.object({ milliseconds: z.number().int() }),
      annotations: readOnly,
    },
    async ({ milliseconds }) => {
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      return { content: [{ type: 'text', text: 'waited' }] };
    },
  );
  return server;
});
