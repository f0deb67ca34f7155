// The end of a stream, also where it was told before anything listened for it.

type Closable = { readonly destroyed: boolean; once(event: 'close', listener: () => void): unknown };

/** Calls `then` once: when the stream is closed, or now where it is closed already. A stream tells its end only once. */
export function whenClosed(stream: Closable, then: () => void): void {
  if (stream.destroyed) then();
  else stream.once('close', then);
}
