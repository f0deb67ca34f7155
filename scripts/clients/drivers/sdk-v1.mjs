// @modelcontextprotocol/sdk, version 1.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { endpoint, run, stepsOf, transportOf } from './steps.mjs';

const transport = await transportOf(endpoint(), { Stdio, Http });
const client = new Client({ name: 'matrix', version: '1' });

await run(
  stepsOf({
    connect: () => client.connect(transport),
    tools: async () => (await client.listTools()).tools,
    call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
    read: async (uri) => (await client.readResource({ uri })).contents,
    prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages,
    subscribe: (uri) => client.subscribeResource({ uri }),
    progress: {},
  }),
);
