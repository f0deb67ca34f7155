// A file that was carried by hand is what it should be only if both ends show the same fingerprint. A person compares, or gives the other
// end's with --fingerprint; nothing goes on without either.
import { ParleyError } from '#base/error.ts';
import { withTerminal } from '../terminal/ask.ts';

export type FingerprintOptions = { readonly fingerprint?: string; readonly json?: boolean };

/** Throws `caller/fingerprint`. `elsewhere`: where the other copy is shown. */
export async function confirmFingerprint(options: FingerprintOptions, own: string, elsewhere: string): Promise<void> {
  const { fingerprint } = options;
  const given =
    fingerprint ??
    (await withTerminal(options, async (ask) =>
      ask === undefined
        ? undefined
        : (await ask(`fingerprint ${own}\ndoes ${elsewhere} show the same? type yes: `)) === 'yes' && own,
    ));
  if (typeof given === 'string' && plain(given) === plain(own)) return;
  const expected = `the fingerprint that ${elsewhere} shows`;
  throw new ParleyError(
    'caller/fingerprint',
    given === undefined
      ? `expected --fingerprint with ${expected}, got none and no terminal to ask`
      : `expected ${expected} to be ${own}, it is another: the file was changed on its way, or is another one`,
  );
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[^0-9a-z]/g, '');
}
