// The server that is measured directly and behind gateways: tools of the official SDK, over Streamable HTTP with JSON answers, or on standard
// input and output. Arguments: `http` or `stdio`, and how many tools it has.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [kind = 'http', count = '1'] = process.argv.slice(2);

const tools = Array.from({ length: Number(count) }, (_, index) => ({
  name: index === 0 ? 'echo' : `tool_${index}`,
  description: `Gives back the text that it was given. ${'It is one of many tools of this server. '.repeat(4)}`,
  inputSchema: {
    type: 'object' as const,
    properties: { text: { type: 'string', description: 'What is given back' }, times: { type: 'integer', minimum: 1 } },
    required: ['text'],
  },
  annotations: { readOnlyHint: true },
}));

function createEcho(): Server {
  const server = new Server({ name: 'echo', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
    content: [{ type: 'text', text: String(params.arguments?.['text']) }],
  }));
  return server;
}

if (kind === 'stdio') await createEcho().connect(new StdioServerTransport());
else {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const server = createServer(async (request, response) => {
    const known = sessions.get(String(request.headers['mcp-session-id']));
    if (known !== undefined) return known.handleRequest(request, response);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await createEcho().connect(transport as Parameters<Server['connect']>[0]);
    await transport.handleRequest(request, response);
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
  });
}
