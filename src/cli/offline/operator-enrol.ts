// `parley operator enrol`: an operator's certificate from a registrar, and from it the file that a browser imports, in one command. The key is
// made here; the file is sealed with a password that is shown once.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isoTime } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { writeFileDurably } from '#base/files.ts';
import { systemRandom } from '#base/random.ts';
import { isNodeName } from '#model/names.ts';
import { makePassword } from '#mtls/enrol/code.ts';
import { preparePending } from '#mtls/enrol/pending.ts';
import { browserFileOf } from '#mtls/pkcs12.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput } from '../terminal/output.ts';
import { usage } from '../terminal/usage.ts';
import { overNetwork } from './enrol.ts';

export type OperatorEnrolOptions = {
  readonly registrar: string;
  readonly code?: string;
  readonly codeFile?: string;
  readonly out?: string;
  readonly json?: boolean;
};

export async function operatorEnrolCommand(options: OperatorEnrolOptions, [name]: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false);
  if (!isNodeName(name!)) throw usage('a name of lower-case letters, digits, "-", "_" and "."', name!);
  const out = options.out ?? name!;
  await mkdir(out, { recursive: true, mode: 0o700 });
  const pending = await preparePending(out, { kind: 'operator', name: name! });
  const { identity, domain, notAfterMs } = await overNetwork(options, { out }, pending, output);
  if (identity === undefined)
    throw new ParleyError(
      'caller/identity-invalid',
      `the certificate in ${out} does not hold by this machine's clock: set the clock`,
    );
  const password = makePassword(systemRandom);
  const file = join(out, `${name}.p12`);
  await writeFileDurably(file, browserFileOf(identity, password, systemRandom), 0o600);
  output.result({
    ...{ outcome: 'enrolled', operator: name, role: identity.party.role ?? 'operator', domain },
    ...{ out, file, password, ca: join(out, 'ca.pem'), notAfter: isoTime(notAfterMs) },
  });
  output.line(`${identity.party.role ?? 'operator'} ${name} of ${domain}, valid until ${isoTime(notAfterMs)}`);
  output.line(`for the browser: import ${file}, password ${password} (shown once)`);
  output.line(`and ${join(out, 'ca.pem')} as an authority for web sites; for the command line: --identity ${out}`);
  return EXIT.ok;
}
