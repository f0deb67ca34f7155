// The tool with which a registrar renews certificates: the caller shows its own in the TLS session, and gets the same name and rights for a
// new key (TS-24). Each renewal is in the registrar's register and in its audit trail.
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { late } from '#base/in-turn.ts';
import type { JsonObject } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import type { ToolDefinition } from '#model/definition.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import type { AuditRecord } from '#model/ports.ts';
import { ENROL_LIMITS } from '#mtls/enrol/limits.ts';
import type { Grant } from '#mtls/enrol/messages.ts';
import type { RenewalsInit } from '#mtls/renewal/renew.ts';
import type { LiveIdentity } from './live-identity.ts';

export const RENEW_TOOL = 'parley-renew';

export type RenewToolInit = Pick<RenewalsInit, 'dir' | 'random' | 'verify'> & {
  readonly trust: { nowMs(): number };
  readonly callerChains: { get(caller: Party): CertificateChain | undefined };
  readonly live: LiveIdentity;
  readonly record: (record: AuditRecord) => void;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Log;
};

/** `own`: this node's own renewal, without a session. */
export function createRenewTool(init: RenewToolInit): {
  readonly tool: ToolDefinition;
  readonly own: (request: string) => Promise<Grant>;
} {
  const { trust, clock, log, record } = init;
  const open = late(async () => {
    // What builds certificates is loaded with the first request.
    const { createRenewals } = await import('#mtls/renewal/renew.ts');
    return createRenewals({ ...init, nowMs: () => trust.nowMs(), monotonicMs: () => clock.monotonicMs() });
  });
  const renew = async (caller: Party, chain: CertificateChain, request: string): Promise<Grant> => {
    const party = `${caller.kind}/${caller.name}`;
    const attempt = async () => (await open()).renew(caller, chain, request);
    const renewed = await attempt().catch((error: unknown) => {
      log.warn('a certificate was not renewed', { party, reason: messageOf(error) });
      record({ event: 'renewal-refused', party, reason: messageOf(error) });
      throw error;
    });
    const detail = { certificate: renewed.thumbprint, ...(caller.thumbprint ? { before: caller.thumbprint } : {}) };
    record({ event: renewed.outcome === 'renewed' ? 'certificate-renewed' : 'certificate-sent-again', party, detail });
    if (renewed.isSecond) {
      const reason =
        'its certificate was renewed before with another key: two machines may have it, or one was restored';
      log.error('a certificate was renewed twice', { party, reason });
      record({ event: 'certificate-renewed-twice', party, reason, detail });
    }
    return renewed.grant;
  };
  return {
    own: (request) => renew(init.live.current().party, init.live.current().chain, request),
    tool: {
      name: RENEW_TOOL,
      title: 'Renewal of a certificate',
      description: 'Certifies a new key for the name and rights of the certificate that the caller shows.',
      capability: RENEW_TOOL,
      mutability: 'read',
      inputSchema: {
        type: 'object',
        properties: { request: { type: 'string', minLength: 1, maxLength: ENROL_LIMITS.requestChars } },
        required: ['request'],
        additionalProperties: false,
      },
      outputSchema: { type: 'object', required: ['type', 'requestSha256', 'chain', 'ca', 'timeMs'] },
      callers: ['node', 'operator'],
      listing: 'agents',
      honoursPaths: true,
      call: async ({ request }, { caller }) => {
        const chain = init.callerChains.get(caller);
        if (chain === undefined)
          throw new ParleyError('caller/renewal-refused', 'no renewal: expected a caller with a certificate, got none');
        return (await renew(caller, chain, String(request))) as unknown as JsonObject;
      },
    },
  };
}
