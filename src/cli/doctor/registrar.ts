// What `parley doctor` looks at on a node that is a registrar: its CA, whether that belongs to the node's domain, and its codes.
import { isoTime } from '#base/clock.ts';
import { listCodes, statusOf } from '#mtls/enrol/code-store.ts';
import { openRegistrarCa } from '#mtls/enrol/registrar-ca.ts';
import { CLI_LIMITS } from '../limits.ts';

/** Rejects with what to do. */
export async function registrarCheck(dir: string, domain: string, nowMs: number): Promise<string> {
  const ca = await openRegistrarCa(dir);
  if (ca.domain !== domain) throw new Error(`expected a registrar of ${domain} in ${dir}, got one of ${ca.domain}`);
  const until = isoTime(ca.notAfterMs);
  if (ca.notAfterMs - nowMs <= CLI_LIMITS.certificateEndsMs)
    throw new Error(
      `its certificate ends on ${until}, and no certificate of it lasts longer: make another one with "parley ca registrar"`,
    );
  const codes = await listCodes(dir);
  const open = codes.filter((code) => statusOf(code, nowMs) === 'open').length;
  return `certifies ${['nodes', ...ca.issues.map((kind) => `${kind}s`)].join(' and ')}, valid until ${until}, codes that wait: ${open}`;
}
