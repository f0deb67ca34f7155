// A command that was called wrongly, in the form of every such message.
import { ParleyError } from '#base/error.ts';

/** `caller/usage`: "expected X, got Y". */
export function usage(expected: string, got: string): ParleyError {
  return new ParleyError('caller/usage', `expected ${expected}, got ${got}`);
}
