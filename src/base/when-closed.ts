// The end of a stream, also where it was told before anything listened for it.

type Closable = { readonly destroyed: boolean; once(event: 'close', listener: () => void): unknown };

/**
 * Calls `then` once: when the stream is closed, or now where it is closed already. A stream tells its end only once. Requests and responses of
 * HTTP/2 do not know whether they are closed; their stream does.
 */
export function whenClosed(it: Closable | { readonly stream: Closable }, then: () => void): void {
  const stream = 'stream' in it ? it.stream : it;
  if (stream.destroyed) then();
  else stream.once('close', then);
}
