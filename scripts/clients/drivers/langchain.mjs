// @langchain/mcp-adapters. It has no call for prompts and subscriptions; progress goes to a callback of the client.
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { endpoint, run, stepsOf } from './steps.mjs';

const at = endpoint();
const heard = [];
const server = at.command
  ? { transport: 'stdio', command: at.command, args: at.args }
  : { transport: 'http', url: at.url, headers: at.headers ?? {} };
const client = new MultiServerMCPClient({ mcpServers: { parley: server }, onProgress: (step) => heard.push(step) });
let tools;

await run(
  stepsOf({
    connect: async () => {
      tools = await client.getTools();
    },
    tools: () => tools,
    call: (name, args, { signal }) => tools.find((tool) => tool.name === name).invoke(args, { signal }),
    isData: (answer) => String(answer).length > 0,
    read: (uri) => client.readResource('parley', uri),
    progress: { heard },
  }),
);
