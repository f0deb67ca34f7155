// @modelcontextprotocol/sdk, version 1.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CALL, endpoint, expect, fetchOf, PROMPT, READ, run, SLOW, WATCHED } from './steps.mjs';

const at = endpoint();
const fetch = await fetchOf(at);
const transport = at.command
  ? new StdioClientTransport({ command: at.command, args: at.args })
  : new StreamableHTTPClientTransport(new URL(at.url), {
      requestInit: { headers: at.headers ?? {} },
      ...(fetch && { fetch }),
    });
const client = new Client({ name: 'matrix', version: '1' });

await run({
  connect: () => client.connect(transport),
  list: async () =>
    expect(
      (await client.listTools()).tools.some(({ name }) => name === CALL.name),
      CALL.name,
    ),
  call: async () => expect((await client.callTool(CALL)).structuredContent?.data, 'data'),
  read: async () => expect((await client.readResource({ uri: READ })).contents.length > 0, 'contents'),
  prompt: async () => expect((await client.getPrompt(PROMPT)).messages.length > 0, 'messages'),
  subscribe: () => client.subscribeResource({ uri: WATCHED }),
  progress: async () => {
    const heard = [];
    await client.callTool(SLOW, undefined, { onprogress: (step) => heard.push(step) });
    expect(heard.length > 0, 'progress');
  },
  cancel: async () => {
    const gone = new AbortController();
    const call = client.callTool(SLOW, undefined, {
      signal: gone.signal,
      onprogress: () => gone.abort(new Error('enough')),
    });
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
