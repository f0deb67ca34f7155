// @langchain/mcp-adapters. It has no call for prompts and subscriptions; progress goes to a callback of the client.
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { CALL, endpoint, expect, READ, run, SLOW } from './steps.mjs';

const at = endpoint();
const heard = [];
const server = at.command
  ? { transport: 'stdio', command: at.command, args: at.args }
  : { transport: 'http', url: at.url, headers: at.headers ?? {} };
const client = new MultiServerMCPClient({
  mcpServers: { parley: server },
  onProgress: (step) => heard.push(step),
});
let tools;
const tool = (name) => tools.find((one) => one.name === name);

await run({
  connect: async () => {
    tools = await client.getTools();
  },
  list: async () => expect(tool(CALL.name), CALL.name),
  call: async () => expect(String(await tool(CALL.name).invoke(CALL.arguments)).length > 0, 'an answer'),
  read: async () => expect((await client.readResource('parley', READ)).length > 0, 'contents'),
  progress: async () => {
    await tool(SLOW.name).invoke(SLOW.arguments);
    expect(heard.length > 0, 'progress');
  },
  cancel: async () => {
    const call = tool(SLOW.name).invoke(SLOW.arguments, { signal: AbortSignal.timeout(20) });
    expect(
      await call.then(
        () => false,
        () => true,
      ),
      'a cancelled call',
    );
  },
});
