// Payloads of packets are given to nobody without consent, whatever the tool is called with.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import type { ConsentGate, ConsentRequest } from '#model/consent.ts';
import type { RouterPort } from '#model/router/router-port.ts';
import { tcpdumpTool } from '#network/measurement/tcpdump.ts';
import { OPERATOR } from '../mcp/harness.ts';

const PAYLOAD = Buffer.from('GET /patient/4711');
const HEADERS = Buffer.from(
  '0200000000020200000000010800450000000000400040060000c6120001c61200029c4000b300000000000000005002000000000000',
  'hex',
);
const PACKET = Buffer.concat([HEADERS, PAYLOAD]);
const RECORD = Buffer.alloc(16);
RECORD.writeUInt32LE(PACKET.length, 8);
RECORD.writeUInt32LE(PACKET.length, 12);
const PCAP = Buffer.concat([
  Buffer.from('d4c3b2a1020004000000000000000000000004000100'.padEnd(48, '0').replace(/0{8}$/, ''), 'hex').subarray(
    0,
    20,
  ),
  Buffer.from([1, 0, 0, 0]),
  RECORD,
  PACKET,
]);

const router = {
  counters: async () => ({ interfaces: [{ name: 'eth1' }], sids: [] }),
  capture: async () => ({ pcap: new Uint8Array(PCAP), packets: 1, truncated: false }),
} as unknown as RouterPort;

async function dump(args: JsonObject, consent: ConsentGate | undefined): Promise<string> {
  const context = { caller: OPERATOR, signal: new AbortController().signal, progress: () => {} };
  const full = { interface: 'eth1', protocol: 'tcp', port: 179, ...args };
  const { pcap } = await tcpdumpTool(router, consent).call(full, context);
  return Buffer.from(String(pcap), 'base64').toString('latin1');
}

test('only an interface of this node is captured on, and nobody is asked for consent to another [TS-3]', async () => {
  const consent: ConsentGate = { ask: async () => assert.fail('asked') };
  await assert.rejects(dump({ interface: 'eth9', payload: true }, consent), { code: 'caller/bad-argument' });
});

test('a capture has headers; with consent to exactly this one it has payloads too [TS-32] [TS-28]', async () => {
  assert.doesNotMatch(await dump({}, undefined), /patient/);
  assert.doesNotMatch(await dump({ payload: false }, undefined), /patient/);
  const refused = {
    code: 'caller/no-consent',
    data: { wireCode: -32083, wireMessage: 'Network.AccessDenied', retryPossible: false },
  };
  await assert.rejects(dump({ payload: true }, undefined), refused);
  const asked: ConsentRequest[] = [];
  const grant: ConsentGate = {
    ask: async (request) => {
      asked.push(request);
      return { granted: true, by: 'operator/ann' };
    },
  };
  assert.match(await dump({ payload: true }, grant), /GET \/patient\/4711/);
  assert.deepEqual(
    asked.map(({ tool, summary, rollbackMs }) => [tool, summary, rollbackMs]),
    [['tcpdump', 'payloads of packets on eth1', 0]],
  );
});

test('a consent comes back where nothing was captured, and not where the helper says that it was used [TS-32] [TS-28]', async () => {
  for (const [code, returned] of [
    ['node/timeout', 1],
    ['node/helper-busy', 1],
    ['caller/bad-consent', 0],
    ['caller/not-approver', 0],
  ] as const) {
    let given = 0;
    const giveBack = async () => void given++;
    const consent: ConsentGate = { ask: async () => ({ granted: true, by: 'operator/ann', decision: {}, giveBack }) };
    const capture = async () => {
      throw new ParleyError(code, 'expected a consent that was not used before, it was');
    };
    const context = { caller: OPERATOR, signal: new AbortController().signal, progress: () => {} };
    const args = { interface: 'eth1', protocol: 'tcp', port: 179, payload: true };
    await assert.rejects(tcpdumpTool({ ...router, capture }, consent).call(args, context), { code });
    assert.equal(given, returned, code);
  }
});
