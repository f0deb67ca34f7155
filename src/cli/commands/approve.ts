// `parley approvals | approve | deny`: lists changes that wait for an admin, and signs a decision with the key of --identity (TS-28).
// The signature covers what the command shows: the node's own consent object, which the node compares octet by octet.
import { createSystemClock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { Decision } from '#model/consent.ts';
import { BACKUP_FILE } from '#model/router/backup.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { hasOwnId, signDecision } from '#sign/decision.ts';
import { recipientId } from '#sign/sealed-text.ts';
import { createSigner } from '#sign/signer.ts';
import { type AgentOptions, asLocalError, withClient } from '../terminal/connect.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { harmless } from '../terminal/harmless.ts';
import { createOutput, type Output } from '../terminal/output.ts';
import { readRecipient } from './backup.ts';

export async function approvalsCommand(options: AgentOptions): Promise<number> {
  const output = createOutput(options.json ?? false);
  const pending = await withClient(options, pendingOf);
  output.result({ pending });
  if (pending.length === 0) output.line('no change is waiting for approval');
  for (const consent of pending) show(output, consent);
  return EXIT.ok;
}

type DecideOptions = AgentOptions & { readonly recipient?: string };

export const approveCommand = (options: DecideOptions, args: readonly string[]) => decide('approve', options, args[0]!);
export const denyCommand = (options: AgentOptions, args: readonly string[]) => decide('deny', options, args[0]!);

async function decide(decision: Decision, options: DecideOptions, id: string): Promise<number> {
  const output = createOutput(options.json ?? false);
  const identity = await loadIdentity(identityOf(options), createSystemClock());
  const decided = await withClient(options, async (client) => {
    const consent = (await pendingOf(client)).find((each) => each['id'] === id);
    if (consent === undefined)
      throw new ParleyError('caller/no-such-consent', `expected a pending consent, got ${id}: see "parley approvals"`);
    show(output, consent);
    if (decision === 'approve') await checkRecipient(consent, options);
    const signer = createSigner({ node: identity.party.name, privateKey: identity.signingKey });
    const nowMs = createSystemClock().nowMs();
    const signed = signDecision({ signer, chain: identity.chain, decision, consent, nowMs });
    return client.callTool('parley-decide', signed as unknown as JsonObject);
  }).catch((error) => Promise.reject(asLocalError(error)));
  output.result(decided);
  const next = decided['waits'] === true ? 'it waits for a second admin' : 'the caller may now call again';
  output.line(`${decision === 'approve' ? 'approved' : 'denied'} by ${String(decided['by'])}: ${next}`);
  return EXIT.ok;
}

/** The requester, or an agent in between, could name a key of its own: the approver states which key it must be. */
async function checkRecipient(consent: JsonObject, options: DecideOptions): Promise<void> {
  const args = consent['arguments'] as JsonObject;
  if (args['file'] !== BACKUP_FILE && args['recipient'] === undefined) return;
  const asked = recipientId(String(args['recipient']));
  if (options.recipient === undefined)
    throw new ParleyError(
      'caller/bad-argument',
      `expected --recipient FILE with the key that may open this backup; the request names ${asked}`,
    );
  const expected = await readRecipient(options.recipient);
  if (args['recipient'] !== expected)
    throw new ParleyError(
      'caller/bad-argument',
      `expected a backup for the key ${recipientId(expected)}, got one for ${asked}`,
    );
}

function identityOf(options: AgentOptions): string {
  if (options.identity !== undefined) return options.identity;
  throw new ParleyError(
    'caller/no-identity',
    'expected --identity DIR with an admin certificate, got none: make one with "parley ca issue NAME --kind operator --role admin --out DIR"',
  );
}

type Client = Parameters<Parameters<typeof withClient>[1]>[0];

async function pendingOf(client: Client): Promise<readonly JsonObject[]> {
  const { pending } = await client.callTool('parley-approvals', {});
  const consents = (Array.isArray(pending) ? pending : []).filter((each: JsonValue) =>
    isJsonObject(each),
  ) as JsonObject[];
  const odd = consents.find((consent) => !hasOwnId(consent));
  if (odd === undefined) return consents;
  throw new ParleyError(
    'peer/bad-consent',
    `expected consents whose ids are those of their content, got ${String(odd['id']).slice(0, 64)}: sign nothing that this agent shows`,
  );
}

/** What an admin signs. Only the summary has lines of its own: no other field can make one, or hide those that follow. */
function show(output: Output, consent: JsonObject): void {
  const user = consent['user'] as JsonObject;
  const impact = consent['impact'] as JsonObject;
  const text = (value: JsonValue | undefined) => harmless(String(value)).replace(/[\n\t]/g, ' ');
  output.line(
    `${text(consent['id'])}  ${text(consent['tool'])} ${text(JSON.stringify(consent['arguments']))} on ${text(consent['node'])}`,
  );
  output.line(
    `  requested by ${text(user['kind'])}/${text(user['name'])} (${text(user['role'])}), until ${text(consent['expires'])}`,
  );
  const seconds = impact['rollbackSeconds'];
  output.line(
    seconds === 0
      ? '  permanent: it needs no confirmation and does not undo itself'
      : `  undone after ${text(seconds)} s unless confirmed`,
  );
  if (consent['approvers'] === 2) output.line('  two different admins must approve it');
  if (consent['persist'] === true)
    output.line(
      '  stays when the session that asked for it ends: any caller with its persist token may confirm or undo it',
    );
  for (const line of String(consent['summary']).split('\n')) output.line(`    ${harmless(line)}`);
}
