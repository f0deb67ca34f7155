// @modelcontextprotocol/client, version 2: older revisions, the newest, or what it negotiates.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { CALL, endpoint, expect, fetchOf, PROMPT, READ, run, SLOW, WATCHED } from './steps.mjs';

const at = endpoint();
const fetch = await fetchOf(at);
const transport = at.command
  ? new StdioClientTransport({ command: at.command, args: at.args })
  : new StreamableHTTPClientTransport(new URL(at.url), {
      requestInit: { headers: at.headers ?? {} },
      ...(fetch && { fetch }),
    });
const client = new Client({ name: 'matrix', version: '2' }, { versionNegotiation: { mode: at.mode } });
const expected = at.mode === 'legacy' ? '2025-11-25' : '2026-07-28';

await run({
  connect: async () => {
    await client.connect(transport);
    expect(
      client.getNegotiatedProtocolVersion() === expected,
      `${expected}, got ${client.getNegotiatedProtocolVersion()}`,
    );
  },
  list: async () =>
    expect(
      (await client.listTools()).tools.some(({ name }) => name === CALL.name),
      CALL.name,
    ),
  call: async () => expect((await client.callTool(CALL)).structuredContent?.data, 'data'),
  read: async () => expect((await client.readResource({ uri: READ })).contents.length > 0, 'contents'),
  prompt: async () => expect((await client.getPrompt(PROMPT)).messages.length > 0, 'messages'),
  subscribe: async () => {
    if (expected === '2025-11-25') return client.subscribeResource({ uri: WATCHED });
    const { honoredFilter } = await client.listen({ resourceSubscriptions: [WATCHED] });
    expect(honoredFilter.resourceSubscriptions?.[0] === WATCHED, 'an honoured subscription');
  },
  progress: async () => {
    const heard = [];
    await client.callTool(SLOW, { onprogress: (step) => heard.push(step) });
    expect(heard.length > 0, 'progress');
  },
  cancel: async () => {
    const gone = new AbortController();
    const call = client.callTool(SLOW, { signal: gone.signal, onprogress: () => gone.abort(new Error('enough')) });
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
