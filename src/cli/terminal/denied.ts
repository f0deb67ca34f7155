// An error of the file system about permission, as an operator can act on it: which path, whose it is, who this is, and the command.
import { ParleyError } from '#base/error.ts';
import { deniedWords, isDenied } from '#base/owners.ts';

/** The error itself where it is about something else, or already says what to do. */
export async function withRemedy(error: unknown): Promise<unknown> {
  if (error instanceof ParleyError || !(error instanceof Error) || !isDenied(error)) return error;
  const { path } = error as NodeJS.ErrnoException;
  if (path === undefined) return error;
  return new ParleyError('caller/file-denied', `not allowed at ${path}: ${await deniedWords(path)}`, { cause: error });
}
