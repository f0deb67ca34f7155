// `parley audit verify`: checks the hash chain of an audit trail, and that the records are in it which its node has signed as its last: the chain
// alone does not show that an end was cut off (TS-31). Needs no running agent.
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HEADS_FILE, type KeptHead, loadHeads, missingSince } from '#audit/heads.ts';
import { type AuditVerification, verifyAudit } from '#audit/verify.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { bad, type Result } from '#base/result.ts';
import { partyOf } from '#mtls/party.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { openHead, type SignedHead } from '#sign/audit-head.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput } from '../terminal/output.ts';

type Options = {
  readonly json?: boolean;
  /** Files of heads that other nodes keep. */
  readonly witness?: readonly string[];
  readonly ca?: string;
  /** Whose trail it is; else that of the heads beside it. */
  readonly node?: string;
};

/** A signed head, and what the trail has instead. */
type Missing = SignedHead & { readonly keptIn: string; readonly reason: string };

/** Exit code 0 when the chain holds and every signed head is in it, 5 when not, 3 when a kept head could not be verified. */
export async function verifyAuditCommand(options: Options, [dir = '']: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false);
  const verified = await readable(dir, () => verifyAudit(dir));
  const { compared, missing, doubtful } = await compareHeads(dir, options);
  output.result({ dir, ...verified, headsCompared: compared, missing, doubtful });
  output.line(chainLine(dir, verified));
  for (const { keptIn, node, sequence, time, reason } of missing)
    output.line(
      `${dir}: CUT OFF OR MADE ANEW: ${node} signed record ${sequence} on ${time} (${keptIn}), and ${reason}`,
    );
  for (const line of doubtful) output.line(line);
  if (compared > 0 && missing.length === 0) output.line(`${dir}: has the last records that were signed (${compared})`);
  if (verified.firstBreak !== undefined || missing.length > 0) return EXIT.signature;
  return doubtful.length > 0 ? EXIT.incomplete : EXIT.ok;
}

function chainLine(dir: string, { firstBreak, records }: AuditVerification): string {
  if (firstBreak !== undefined) return `${dir}: BROKEN at ${JSON.stringify(firstBreak)}`;
  return `${dir}: ${records} records, the chain holds`;
}

/** What the trail in `dir` lacks: the node's own last head, from beside the trail, and those of it that other nodes keep. */
export async function compareHeads(dir: string, options: Options) {
  if ((options.witness ?? []).length > 0 && options.ca === undefined)
    throw new ParleyError('caller/usage', "expected --ca with --witness: the domain's CA verifies who signed a head");
  const beside = join(dirname(dir), HEADS_FILE);
  const own = (await readable(beside, () => loadHeads(beside)))?.own;
  const node = options.node ?? own?.node;
  const caPem = options.ca === undefined ? undefined : await readable(options.ca, () => readFile(options.ca!, 'utf8'));
  const kept = own === undefined ? [] : [{ keptIn: beside, kept: own }];
  for (const file of options.witness ?? []) {
    if (node === undefined) throw new ParleyError('caller/usage', 'expected --node NAME: whose trail is it?');
    const heads = await readable(file, () => loadHeads(file));
    if (heads === undefined) throw new ParleyError('caller/unreadable-file', `cannot read ${file}: no such file`);
    kept.push(...heads.peers.filter((each) => each.node === node).map((each) => ({ keptIn: file, kept: each })));
  }
  const missing: Missing[] = [];
  const doubtful: string[] = [];
  for (const { keptIn, kept: each } of kept) {
    const head = signedHead(each, caPem);
    if (!head.ok) doubtful.push(`${keptIn}: the head of ${each.node} is not verified: ${head.reason}`);
    const reason = head.ok ? await missingSince(dir, head.value) : undefined;
    if (head.ok && reason !== undefined) missing.push({ ...head.value, keptIn, reason });
  }
  return { compared: kept.length - doubtful.length, missing, doubtful };
}

/**
 * Certificates may have ended since: they are verified as of the time that the head names. Without the CA the chain's own key counts: what lies
 * beside a trail is no proof against who may write there, and shows a cut all the same.
 */
function signedHead({ node, envelope, chain }: KeptHead, caPem: string | undefined): Result<SignedHead> {
  const party =
    caPem === undefined
      ? partyOf(Buffer.from(chain[0] ?? '', 'base64'))
      : verifyChain(chain, caPem, timeOf(envelope.payload));
  if (!party.ok) return party;
  const { kind, name, signingKey } = party.value;
  if (kind !== 'node' || name !== node) return bad(`expected the certificate of node ${node}, got ${kind} ${name}`);
  return openHead(envelope, Buffer.from(signingKey ?? '', 'hex'), node);
}

function timeOf(payload: string): number {
  try {
    const { time } = JSON.parse(Buffer.from(payload, 'base64').toString()) as { readonly time?: unknown };
    return Date.parse(String(time));
  } catch {
    return Number.NaN;
  }
}

async function readable<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw new ParleyError('caller/unreadable-file', `cannot read ${path}: ${messageOf(cause)}`, { cause });
  }
}
