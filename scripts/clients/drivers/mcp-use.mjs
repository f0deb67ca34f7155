// mcp-use, version 1: the last that contains its client. It sends telemetry unless that is turned off.
import { endpoint, run, stepsOf } from './steps.mjs';

process.env.MCP_USE_ANONYMIZED_TELEMETRY = 'false';
const { MCPClient } = await import('mcp-use/client');

const at = endpoint();
const server = at.command ? { command: at.command, args: at.args } : { url: at.url, headers: at.headers ?? {} };
const client = new MCPClient({ mcpServers: { parley: server } });
let session;

await run(
  stepsOf({
    connect: async () => {
      session = await client.createSession('parley');
    },
    tools: () => session.listTools(),
    call: (name, args, options) => session.callTool(name, args, options),
    read: async (uri) => (await session.readResource(uri)).contents,
    prompt: async (name, args) => (await session.getPrompt(name, args)).messages,
    subscribe: (uri) => session.subscribeToResource(uri),
    progress: {},
  }),
);
