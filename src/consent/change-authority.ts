// Decides, in the process that changes the device, whether a change may be made (TS-28): an admin has signed a consent to exactly this change of
// this node, minutes ago and not used before, or root's file says that none is needed. The agent's word decides nothing where one is.
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { Log } from '#base/log.ts';
import type { ChangeAuthority, ChangeGrant, ProposedChange, UsedConsents } from '#model/router/change-authority.ts';
import { changesSha256 } from '#sign/decision.ts';
import { canonicalSha256 } from '#sign/digest.ts';
import { type AdminDecisionParts, approvalOf, badConsent, consentIdOf } from './admin-decision.ts';
import { CONSENT_LIMITS } from './limits.ts';
import { type ConsentMode, type ConsentPolicy, policyFor, type TwoAdminsRule, twoAdminsFor } from './policies.ts';
import { tooLong } from './shown-whole.ts';

export type ChangeAuthorityParts = AdminDecisionParts & {
  readonly node: string;
  readonly mode: ConsentMode;
  readonly policies: readonly ConsentPolicy[];
  readonly twoAdmins: readonly TwoAdminsRule[];
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly used: UsedConsents;
  /** A record beside the agent's trail, in a process that the agent cannot write to. */
  readonly log: Log;
};

export function createChangeAuthority(parts: ChangeAuthorityParts): ChangeAuthority {
  return async (change, signed) => {
    const { use, ...grant } = signed === undefined ? standing(parts, change) : consented(parts, change, signed);
    parts.log.info('a change was agreed to', { ...grant, askedBy: change.holder, tool: change.tool });
    return use === undefined ? grant : { ...grant, use };
  };
}

/** Without a signature: what root's file says. */
function standing(parts: ChangeAuthorityParts, change: ProposedChange): ChangeGrant {
  const { holder, tool, rollbackSeconds, live } = change;
  const both = twoAdminsFor(parts.twoAdmins, change);
  if (both !== undefined) throw needsBoth(both);
  if (parts.mode === 'off') return { basis: 'off', by: holder };
  const user = holder.slice(holder.indexOf('/') + 1);
  const policy = policyFor(parts.policies, { tool, user, rollbackMs: rollbackSeconds * 1_000, live });
  if (policy !== undefined) return { basis: 'policy', by: `policy ${policy.name}` };
  if (parts.mode === 'operator-present') return { basis: 'presence', by: holder };
  throw new ParleyError(
    'caller/no-consent',
    "expected an admin's signed consent: this node's configuration helper requires one for each change that no policy of its own file covers",
  );
}

function consented(parts: ChangeAuthorityParts, change: ProposedChange, signed: JsonObject): ChangeGrant {
  const first = approvalOf(parts, signed);
  const id = consentIdOf(first.consent);
  const fault = differenceFrom(parts, change, first.consent);
  if (fault !== undefined) throw badConsent(fault);
  const rule = twoAdminsFor(parts.twoAdmins, change);
  const approvals = rule === undefined ? [first] : [first, secondOf(parts, signed, first, rule)];
  // Once used, it stays so whatever becomes of the change: a second attempt needs a second signature.
  const signedMs = Math.min(...approvals.map((each) => each.signedMs));
  const by = approvals.map((each) => `operator/${each.by}`).join(' and ');
  return { basis: 'consent', by, consent: id, use: () => parts.used.take(id, signedMs) };
}

/** The signature of another admin over the same consent: another name and another key, since one person may hold two certificates of a name. */
function secondOf(
  parts: ChangeAuthorityParts,
  { second }: JsonObject,
  first: ReturnType<typeof approvalOf>,
  rule: TwoAdminsRule,
): ReturnType<typeof approvalOf> {
  if (second === undefined || !isJsonObject(second)) throw needsBoth(rule);
  const other = approvalOf(parts, second);
  if (other.by === first.by || other.key === first.key) throw needsBoth(rule);
  if (canonicalSha256(other.consent) === canonicalSha256(first.consent)) return other;
  throw badConsent('expected two signatures over one consent, got them over two');
}

function needsBoth({ name }: TwoAdminsRule): ParleyError {
  return new ParleyError(
    'caller/no-consent',
    `expected the signed consent of two different admins, as the rule ${name} of this node's configuration helper says`,
  );
}

/** What of the signed consent is not about this change; undefined when it is about exactly this one. */
function differenceFrom(
  { node, clock }: ChangeAuthorityParts,
  change: ProposedChange,
  consent: JsonObject,
): string | undefined {
  const { impact, user, expires } = consent;
  if (consent['node'] !== node) return `expected a consent for node ${node}, got one for another`;
  if (consent['tool'] !== change.tool) return `expected a consent to ${change.tool}, got one to another tool`;
  // The lines that the admin read must be those of the change: the digest alone would let the agent show other ones.
  const chars = change.summary.length;
  if (chars > CONSENT_LIMITS.consentSummaryChars)
    return `expected a change that can be shown as a whole: ${tooLong(chars)}`;
  if (consent['summary'] !== change.summary || consent['changesSha256'] !== changesSha256(change.tag, change.summary))
    return 'expected a consent to the changes of the candidate, got one to others';
  const seconds = impact !== undefined && isJsonObject(impact) ? impact['rollbackSeconds'] : undefined;
  if (seconds !== change.rollbackSeconds)
    return `expected a consent to a change that undoes itself after ${change.rollbackSeconds} s, got another time`;
  const persists = persistFault(change, consent);
  if (persists !== undefined) return persists;
  const asker = user !== undefined && isJsonObject(user) ? `${String(user['kind'])}/${String(user['name'])}` : '';
  if (asker !== change.holder) return 'expected a consent to a change of this party, got one to that of another';
  const expiresMs = typeof expires === 'string' ? Date.parse(expires) : Number.NaN;
  // The agent's clock made this time, and may be off by as much as a signer's.
  if (!(clock.nowMs() < expiresMs + LIMITS.consentSkewMs)) return 'expected a consent that is in force, it has expired';
  return undefined;
}

/** Tools whose arguments all stand in the consent, but for the token. That of the others is the content, which the changes cover. */
const SHOWN_ARGUMENTS: readonly string[] = ['network.commit', 'network.rollback'];

/** With a token of its own, an agent could let another party confirm what was agreed to for one session. */
function persistFault({ tool, persist }: ProposedChange, consent: JsonObject): string | undefined {
  if ((consent['persist'] === true) !== (persist !== undefined))
    return persist === undefined
      ? 'expected a consent to a change without persist, got one to a change with it'
      : 'expected a consent to a change with persist, got one to a change without it';
  if (!SHOWN_ARGUMENTS.includes(tool)) {
    // None of these tools takes a token.
    return persist === undefined ? undefined : `expected no persist with ${tool}, got one`;
  }
  const shown = consent['arguments'];
  const args = {
    ...(shown !== undefined && isJsonObject(shown) ? shown : {}),
    ...(persist === undefined ? {} : { persist }),
  };
  if (consent['requestSha256'] === canonicalSha256({ tool, arguments: args })) return undefined;
  return 'expected a consent to this request, with this persist, got one to another';
}
