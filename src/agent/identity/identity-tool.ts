// What an operator asks of a node's identity: its certificate, when it is renewed and by whom, the trust list that it goes by, its clock. And
// the tool that renews it now.
import { type Clock, isoTime } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import type { ToolDefinition } from '#model/definition.ts';
import type { KeptList } from '#mtls/revocation/kept-list.ts';
import type { LiveIdentity } from './live-identity.ts';
import type { Renewal } from './renewal.ts';

export const IDENTITY_TOOL = 'parley-identity';
export const RENEW_NOW_TOOL = 'parley-renew-now';

export type IdentityToolsInit = {
  readonly live: LiveIdentity;
  readonly kept: KeptList;
  readonly renewal: Renewal;
  readonly trust: { nowMs(): number; clockBehindMs(): number };
  readonly clock: Pick<Clock, 'nowMs'>;
};

export function identityTools(init: IdentityToolsInit): readonly ToolDefinition[] {
  const shared = { callers: ['operator', 'controller'], listing: 'extended', honoursPaths: true } as const;
  const text = { type: 'string' };
  const outputSchema = {
    type: 'object',
    required: ['party', 'certificate', 'notAfter'],
    properties: {
      ...{ party: text, domain: text, certificate: text, notBefore: text, notAfter: text, revoked: text },
      state: { enum: ['in force', 'ended', 'revoked'] },
      ...{ renewal: { type: 'object' }, trustList: { type: 'object' } },
    },
  };
  const inputSchema = { type: 'object', properties: {}, additionalProperties: false };
  return [
    {
      ...{ ...shared, name: IDENTITY_TOOL, capability: IDENTITY_TOOL, mutability: 'read', inputSchema, outputSchema },
      title: 'Identity of this node',
      description: 'The certificate of this node, when and by whom it is renewed, and the trust list that it goes by.',
      call: async () => describe(init),
    },
    {
      ...{
        ...shared,
        name: RENEW_NOW_TOOL,
        capability: RENEW_NOW_TOOL,
        mutability: 'probe',
        inputSchema,
        outputSchema,
      },
      title: 'Renew the certificate of this node now',
      description: 'Asks the registrars of this node for a new certificate and shows it from then on.',
      call: async (_args, { signal }) => {
        await init.renewal.renewNow(signal);
        return describe(init);
      },
    },
  ];
}

function describe({ live, kept, renewal, trust, clock }: IdentityToolsInit): JsonObject {
  const { party, thumbprint, notBeforeMs, notAfterMs, chain } = live.current();
  const { registrars, renewAtMs, failures, lastFailure, lastRenewedMs } = renewal.state();
  const denied = kept.denied(chain);
  const { current } = kept;
  return {
    party: `${party.kind}/${party.name}`,
    domain: party.domain,
    certificate: thumbprint,
    ...{ notBefore: isoTime(notBeforeMs), notAfter: isoTime(notAfterMs) },
    state: denied !== undefined ? 'revoked' : notAfterMs <= trust.nowMs() ? 'ended' : 'in force',
    ...(denied === undefined ? {} : { revoked: denied }),
    renewal: {
      ...{ registrars: [...registrars], failures },
      ...(renewAtMs === undefined ? {} : { at: isoTime(renewAtMs) }),
      ...(lastFailure === undefined ? {} : { lastFailure }),
      ...(lastRenewedMs === undefined ? {} : { lastRenewed: isoTime(lastRenewedMs) }),
    },
    ...(current === undefined
      ? {}
      : {
          trustList: {
            ...{ number: current.number, issued: current.issued, revoked: current.revoked.length },
            anchors: current.anchors.length,
          },
        }),
    clock: { now: isoTime(clock.nowMs()), behindSeconds: Math.ceil(trust.clockBehindMs() / 1_000) },
  };
}
