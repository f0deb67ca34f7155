// A server that a test kills: one tool that says which process it is. Arguments: `stdio`; or `http`, a port, and whether it has a stream for what
// belongs to no request. A session of the process before is unknown to it, as with any server that keeps sessions in memory.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [kind, port, stream] = process.argv.slice(2);

function createMortal(): Server {
  const server = new Server({ name: 'mortal', version: '1' }, { capabilities: { tools: {} } });
  const tool = { name: 'pid', inputSchema: { type: 'object' as const }, annotations: { readOnlyHint: true } };
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [tool] }));
  server.setRequestHandler(CallToolRequestSchema, () => ({ content: [{ type: 'text', text: String(process.pid) }] }));
  return server;
}

if (kind === 'stdio') await createMortal().connect(new StdioServerTransport());
else {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const server = createServer(async (request, response) => {
    const known = sessions.get(String(request.headers['mcp-session-id']));
    if (request.method === 'GET' && stream !== 'stream') return void response.writeHead(405).end();
    if (known !== undefined) return known.handleRequest(request, response);
    if (request.headers['mcp-session-id'] !== undefined) return void response.writeHead(404).end();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await createMortal().connect(transport as Parameters<Server['connect']>[0]);
    await transport.handleRequest(request, response);
  });
  server.listen(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'));
}
