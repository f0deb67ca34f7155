// What comes in a session: frames, the JSON in them, and the calls, envelopes and answers of peers.

import { createSystemClock } from '#base/clock.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { canonicalJsonText } from '#codec/canonical-json.ts';
import { createFrameDecoder, encodeFrame } from '#codec/frame.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';
import { foldPeerAnswer } from '#discovery/exchange.ts';
import { parseCallRequest } from '#mcp/protocol/call-content.ts';
import { findAnnouncement, parseCapabilityNames } from '#mcp/protocol/negotiation.ts';
import { parseRpcMessage, REQUEST_BOUNDS } from '#mcp/protocol/rpc.ts';
import { ASKER_META, ENVELOPE_META, SESSION_META } from '#model/envelope.ts';
import { parseSealedReport, readCountersignature } from '#report/seal.ts';
import { verifyAsker } from '#sign/asker.ts';
import { openHead } from '#sign/audit-head.ts';
import { claimedCall, sealCall, verifyCall } from '#sign/call.ts';
import { parseEnvelope } from '#sign/envelope.ts';
import { readSignedCall } from '#sign/signed-head.ts';
import { createSigner, generateSigningKey } from '#sign/signer.ts';
import { joined, mutateBytes } from '../mutate-bytes.ts';
import { mutateJson } from '../mutate-json.ts';
import { mustHold, type Parser } from '../parser.ts';
import type { Random } from '../random.ts';

const MESSAGES: readonly JsonObject[] = [
  {
    ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
    params: {
      protocolVersion: '2025-11-25',
      clientInfo: { name: 'p2', version: '0.1.0' },
      capabilities: { experimental: { parley: { capabilities: ['ietf-srv6-ping', 'parley-peers'], node: 'p2' } } },
    },
  },
  {
    jsonrpc: '2.0',
    id: 'a',
    method: 'tools/call',
    params: { name: 'ietf-srv6-ping', arguments: { Count: 10, sids: ['2001:db8::1'] } },
  },
  {
    jsonrpc: '2.0',
    id: 2,
    method: 'resources/read',
    params: { uri: 'network:///interface/eth1', cursor: 'aS1ldGgwOTk' },
  },
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'late' } },
  {
    jsonrpc: '2.0',
    id: 3,
    result: { content: [{ type: 'text', text: 'x' }], structuredContent: { rows: [[1, 2.5, null], []] } },
  },
  { jsonrpc: '2.0', id: 4, error: { code: -32_602, message: 'no', data: { code: 'caller/bad' } } },
];
const jsonOf = (value: JsonValue) => Buffer.from(JSON.stringify(value));

const frames: Parser = {
  name: 'frames',
  inputs: 10_000_000,
  open() {
    const corpus = MESSAGES.map((message) => encodeFrame(jsonOf(message)));
    corpus.push(joined(...corpus), encodeFrame(new Uint8Array(3_000)), new Uint8Array(4));
    return {
      corpus,
      read(input, random) {
        const decoder = createFrameDecoder({ maxBytes: 4_096 });
        // In pieces, as a stream comes.
        for (let at = 0; at < input.length; ) {
          const end = Math.min(input.length, at + 1 + random.below(random() < 0.5 ? 4 : 2_000));
          const pushed = decoder.push(input.subarray(at, end));
          if (!pushed.ok) return;
          for (const frame of pushed.value) mustHold(frame.length <= 4_096, 'a frame is within its bound');
          at = end;
        }
      },
    };
  },
};

const json: Parser = {
  name: 'json',
  inputs: 10_000_000,
  open() {
    const corpus = MESSAGES.map(jsonOf);
    return {
      corpus,
      mutate: (input, random) =>
        random() < 0.5 ? mutateBytes(input, random, corpus) : mutateJson(input, random, corpus),
      read(input) {
        const decoded = decodeStrictJson(input);
        if (!decoded.ok) return;
        const text = canonicalJsonText(decoded.value);
        const again = decodeStrictJson(Buffer.from(text));
        mustHold(again.ok && canonicalJsonText(again.value) === text, 'canonical JSON is read as it is written');
      },
    };
  },
};

const calls: Parser = {
  name: 'calls',
  inputs: 10_000_000,
  open() {
    const clock = createSystemClock();
    const key = generateSigningKey();
    const signer = createSigner({ node: 'p2', privateKey: key.privateKey });
    const nonces = { boot: '1-0000000000000000', next: () => '1' };
    const content = { method: 'tools/call', params: { name: 'parley-peers', arguments: {} } } as const;
    const sealed = { ...sealCall(signer, nonces, clock, { session: 'dom-1', content, challenge: '00'.repeat(16) }) };
    const told = {
      node: 'pe3',
      addresses: ['2001:db8::3'],
      port: 9_514,
      thumbprint: 'ab'.repeat(32),
      hops: 1,
      verified: true,
    };
    const countersigned = { by: 'noc', role: 'controller', chain: [], envelope: sealed };
    const signed = {
      ...content.params,
      _meta: { [ENVELOPE_META]: sealed, [ASKER_META]: sealed, [SESSION_META]: 'dom-1' },
    };
    const corpus = [
      ...MESSAGES,
      sealed,
      { node: 'p2', truncated: false, peers: [told, told] },
      { schemaVersion: 1, report: sealed, creatorChain: ['AAAA'], countersignatures: [countersigned] },
      { jsonrpc: '2.0', id: 5, method: 'tools/call', params: signed },
    ].map(jsonOf);
    const known = readSignedCall(JSON.parse(Buffer.from(sealed.payload, 'base64').toString()));
    mustHold(known.ok, 'a call is read as it was sealed');
    const call = known.ok ? known.value : undefined;
    const expected = { expectedSigner: 'p2' };
    return {
      corpus,
      mutate: (input: Uint8Array, random: Random) => mutateJson(input, random, corpus),
      read(input) {
        const decoded = decodeStrictJson(input, REQUEST_BOUNDS);
        if (!decoded.ok) return;
        const { value } = decoded;
        const message = parseRpcMessage(value);
        if (message.ok && message.value.kind === 'request') {
          parseCallRequest('tools/call', message.value.params);
          parseCallRequest('resources/read', message.value.params);
          findAnnouncement(message.value.params['capabilities']);
        }
        parseCapabilityNames(value);
        readAnswers(value, key.publicKeyRaw, call!);
        if (isJsonObject(value)) verifyCall(value, content, key.publicKeyRaw, expected);
        const report = parseSealedReport(Buffer.concat([input, Buffer.from('\n')]));
        if (isJsonObject(value)) readCountersignature(value['countersignatures']);
        return report;
      },
    };
  },
};

/** What an authenticated peer may send, as the product reads it. */
function readAnswers(value: JsonValue, publicKey: Uint8Array, call: Parameters<typeof verifyAsker>[2]): void {
  foldPeerAnswer(value, { toldBy: 'p2', own: 'pe1', atMs: 0 });
  parseEnvelope(value);
  if (!isJsonObject(value) || typeof value['payload'] !== 'string') return;
  claimedCall(value);
  openHead(value, publicKey, 'p2');
  verifyAsker(value, publicKey, call);
}

export const WIRE = [frames, json, calls];
