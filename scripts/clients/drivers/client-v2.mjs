// @modelcontextprotocol/client, version 2: older revisions, the newest, or what it negotiates.
import { Client, StreamableHTTPClientTransport as Http } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio } from '@modelcontextprotocol/client/stdio';
import { endpoint, expect, run, stepsOf, transportOf } from './steps.mjs';

const at = endpoint();
const transport = await transportOf(at, { Stdio, Http });
const client = new Client({ name: 'matrix', version: '2' }, { versionNegotiation: { mode: at.mode } });
const expected = at.mode === 'legacy' ? '2025-11-25' : '2026-07-28';

await run(
  stepsOf({
    connect: async () => {
      await client.connect(transport);
      const got = client.getNegotiatedProtocolVersion();
      expect(got === expected, `${expected}, got ${got}`);
    },
    tools: async () => (await client.listTools()).tools,
    call: (name, args, options) => client.callTool({ name, arguments: args }, options),
    read: async (uri) => (await client.readResource({ uri })).contents,
    prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages,
    subscribe: async (uri) => {
      if (expected === '2025-11-25') return client.subscribeResource({ uri });
      const { honoredFilter } = await client.listen({ resourceSubscriptions: [uri] });
      expect(honoredFilter.resourceSubscriptions?.[0] === uri, 'an honoured subscription');
    },
    progress: {},
  }),
);
