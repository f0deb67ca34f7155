// For how long agents watch the healthy network before a case injects its fault: what they did not see they cannot remember.
import { ParleyError } from '#base/error.ts';

const MOST_WATCH_SECONDS = 30;

/** Of `--watch SECONDS`, in milliseconds. */
export function watchMsOf(text: string): number {
  const seconds = Number(text);
  if (!(seconds >= 0 && seconds <= MOST_WATCH_SECONDS))
    throw new ParleyError('caller/usage', `expected --watch 0 to ${MOST_WATCH_SECONDS} seconds`);
  return seconds * 1_000;
}
