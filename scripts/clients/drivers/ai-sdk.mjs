// @ai-sdk/mcp, as it is: it probes before it initializes. It has no call for subscriptions and progress.
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { CALL, endpoint, expect, fetchOf, PROMPT, READ, run, SLOW } from './steps.mjs';

const at = endpoint();
const fetch = await fetchOf(at);
const transport = at.command
  ? new StdioTransport({ command: at.command, args: at.args })
  : { type: 'http', url: at.url, headers: at.headers ?? {}, ...(fetch && { fetch }) };
let client;

await run({
  connect: async () => {
    client = await createMCPClient({ transport });
  },
  list: async () =>
    expect(
      (await client.listTools()).tools.some(({ name }) => name === CALL.name),
      CALL.name,
    ),
  call: async () => expect((await client.callTool(CALL)).structuredContent?.data, 'data'),
  read: async () => expect((await client.readResource({ uri: READ })).contents.length > 0, 'contents'),
  prompt: async () => expect((await client.getPrompt(PROMPT)).messages.length > 0, 'messages'),
  cancel: async () => {
    const call = client.callTool({ ...SLOW, options: { signal: AbortSignal.timeout(20) } });
    expect(
      await call.then(
        () => false,
        () => true,
      ),
      'a cancelled call',
    );
    expect((await client.listTools()).tools.length > 0, 'a session that goes on');
  },
});
