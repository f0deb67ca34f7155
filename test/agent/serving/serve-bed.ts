// A node that answers calls through the gate, as every listener calls, over a trail that is an array.
import { createCallHandler, createRefusalSigner } from '#agent/serving/serve.ts';
import { silentLog } from '#base/log.ts';
import { type Catalog, createCatalog } from '#mcp/catalog/catalog.ts';
import { createGate } from '#mcp/catalog/gate.ts';
import type { ToolDefinition } from '#model/definition.ts';
import type { SignedEnvelope } from '#model/envelope.ts';
import type { Party } from '#model/identity.ts';
import type { AuditRecord, CallHandler, HandledCall, IncomingCall } from '#model/ports.ts';
import { sealCall, verifyResult } from '#sign/call.ts';
import { createNonceWindow } from '#sign/nonce-window.ts';
import { fakeAskers } from '../../fakes/asker.ts';
import { type FakeParty, fakeClock, fakeParty } from '../../fakes/signed-exchange.ts';
import { toolDefinition } from '../../mcp/harness.ts';

export const CHALLENGE = '00112233445566778899aabbccddeeff';
export const pe1 = fakeParty('pe1');
export const p2 = fakeParty('p2');
export const content = { method: 'tools/call', params: { name: 'read', arguments: {} } };
export const operator: Party = { kind: 'operator', domain: 'lab', name: 'local' };

export type Bench = {
  readonly records: AuditRecord[];
  readonly order: string[];
  readonly handler: CallHandler;
  readonly catalog: Catalog;
  /** Through the gate, as every listener calls. */
  handle(over?: Partial<IncomingCall>): Promise<HandledCall>;
};

export type Init = {
  audit?: (record: AuditRecord) => Promise<void>;
  fail?: Error;
  tool?: Partial<ToolDefinition>;
  /** Names of nodes whose calls need no signature. */
  unsigned?: readonly string[];
  askers?: Parameters<typeof fakeAskers>[2];
};

export function bench(init: Init = {}): Bench {
  const records: AuditRecord[] = [];
  const order: string[] = [];
  const catalog = createCatalog({
    tools: [
      toolDefinition({
        name: 'read',
        call: async () => {
          order.push('effect');
          if (init.fail) throw init.fail;
          return { value: 42 };
        },
        ...init.tool,
      }),
    ],
    resources: [],
  });
  const handler = createCallHandler({
    ...p2,
    askers: fakeAskers(p2.party, fakeClock, init.askers),
    ...(init.unsigned === undefined ? {} : { mayBeUnsigned: ({ name }: Party) => init.unsigned!.includes(name) }),
    catalog: () => catalog,
    window: createNonceWindow(),
    clock: fakeClock,
    audit: {
      append: async (record) => {
        await init.audit?.(record);
        records.push(record);
        order.push(`${record.direction} ${record.event}${record.status === undefined ? '' : ` ${record.status}`}`);
      },
    },
    log: silentLog,
  });
  const gate = createGate({
    catalog: () => catalog,
    handler,
    onRefused: ({ reason }) => order.push(`refused: ${reason}`),
    log: silentLog,
    signRefusal: createRefusalSigner({ ...p2, clock: fakeClock }),
  });
  return { records, order, handler, catalog, handle: (over) => gate(incoming(over), 'frames') };
}

export function incoming(over: Partial<IncomingCall> = {}): IncomingCall {
  return {
    caller: pe1.party,
    authorised: ['read'],
    content,
    envelope: signed(pe1, 'dom-1'),
    sessionId: 'dom-1',
    signal: new AbortController().signal,
    progress: () => {},
    ...over,
  };
}

export function signed(by: FakeParty, session: string): SignedEnvelope {
  return sealCall(by.signer, by.nonces, fakeClock, { content, challenge: CHALLENGE, session });
}

/** Verifies what p2 signed towards pe1. */
export function verified(handled: HandledCall, over: { readonly challenge?: string; readonly session?: string } = {}) {
  const { status, envelope } = handled;
  const body =
    handled.status === 'answered' ? handled.body : { code: handled.code, message: handled.message, data: handled.data };
  return verifyResult({
    envelope: envelope!,
    status,
    body,
    content,
    challenge: over.challenge ?? CHALLENGE,
    session: over.session ?? 'dom-1',
    signerKey: Buffer.from(p2.party.signingKey!, 'hex'),
    expectedSigner: 'p2',
    caller: 'pe1',
    window: createNonceWindow(),
  });
}

export const refusalOf = (handled: HandledCall) =>
  handled.status === 'refused' ? [handled.code, handled.data['detail']] : [];
