// Stands for a server that a set-up names: two tools on standard input and output, one that reads and one that acts and says nothing of it.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const inputSchema = { type: 'object' as const };
const server = new Server({ name: 'stand-in', version: '1' }, { capabilities: { tools: {} } });
let acted = 0;
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [
    { name: 'read', description: 'Reads.', inputSchema, annotations: { readOnlyHint: true } },
    { name: 'act', description: 'Acts.', inputSchema, annotations: { destructiveHint: true } },
  ],
}));
server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
  if (params.name === 'act') acted++;
  return { content: [{ type: 'text', text: `${process.argv[2]} acted ${acted} times` }] };
});
await server.connect(new StdioServerTransport());
