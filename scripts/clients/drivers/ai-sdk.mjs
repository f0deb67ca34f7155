// @ai-sdk/mcp, as it is: it probes before it initializes. It has no call for subscriptions and progress.
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { endpoint, fetchOf, run, stepsOf } from './steps.mjs';

const at = endpoint();
const fetch = await fetchOf(at);
const transport = at.command
  ? new StdioTransport({ command: at.command, args: at.args })
  : { type: 'http', url: at.url, headers: at.headers ?? {}, ...(fetch && { fetch }) };
let client;

await run(
  stepsOf({
    connect: async () => {
      client = await createMCPClient({ transport });
    },
    tools: async () => (await client.listTools()).tools,
    call: (name, args, options) => client.callTool({ name, arguments: args, options }),
    read: async (uri) => (await client.readResource({ uri })).contents,
    prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages,
  }),
);
