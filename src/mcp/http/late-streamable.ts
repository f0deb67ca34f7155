// `/mcp`, loaded with its first request: agents speak frames with each other, and many a node is never asked over HTTP.
import { late } from '#base/in-turn.ts';
import type { Streamable, StreamableParts } from './streamable.ts';

export function createLateStreamable(parts: StreamableParts): Streamable {
  let opened: Streamable | undefined;
  let isClosed = false;
  const open = late(async () => {
    const { createStreamable } = await import('./streamable.ts');
    opened = createStreamable(parts);
    if (isClosed) opened.close();
    return opened;
  });
  return {
    async handle(exchange) {
      return (await open()).handle(exchange);
    },
    close() {
      isClosed = true;
      opened?.close();
    },
  };
}
