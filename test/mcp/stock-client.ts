// The SDK's own Streamable HTTP client. Its SSE parser publishes TypeScript under the export condition `source`, which is
// also the one by which our tests run from source and which Node refuses below node_modules: here it resolves without it.
import { registerHooks } from 'node:module';

const hooks = registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.startsWith('eventsource-parser')) return next(specifier, context);
    return next(specifier, {
      ...context,
      conditions: context.conditions.filter((condition) => condition !== 'source'),
    });
  },
});
export const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
hooks.deregister();
