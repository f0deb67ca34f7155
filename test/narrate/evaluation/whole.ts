// Whole questions, from the sentence to the sealed report, with a model and without: the same keys, the same chance and a clock that stands
// still, so that two reports differ only by what was said differently. What the rules answer for is compared byte by byte.
import { createHash } from 'node:crypto';
import { investigate } from '#agent/investigate.ts';
import type { Clock } from '#base/clock.ts';
import { canonicalJsonText } from '#codec/canonical-json.ts';
import { FAULT_FORMS } from '#correlate/text/clues.ts';
import type { Narrator } from '#model/ports.ts';
import type { Report } from '#model/report.ts';
import { createNarrator } from '#narrate/narrator.ts';
import { createTestDomain, hear, partsOf, sessionsOf, type TestDomain } from '../../agent/in-process.ts';
import { LOCAL_ASKER } from '../../fakes/asker.ts';
import { type FakeParty, fakeParty } from '../../fakes/signed-exchange.ts';
import { listenFakeOllama } from '../fake-ollama.ts';
import type { RecordedModel } from './models.ts';

export type WholeCase = {
  readonly name: string;
  readonly verdict: Report['verdict']['kind'];
  readonly apply: (domain: TestDomain) => void;
  /** A node that no session reaches. */
  readonly silent?: string;
};

const INTENT = 'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2';

export const WHOLE: readonly WholeCase[] = [
  { name: 'healthy', verdict: 'healthy', apply: () => {} },
  {
    name: 'loss',
    verdict: 'fault',
    apply: ({ network }) => network.apply({ kind: 'loss', node: 'p2', ifname: 'eth2', percent: 25 }),
  },
  {
    name: 'two losses',
    verdict: 'fault',
    apply: ({ network }) => {
      network.apply({ kind: 'loss', node: 'p2', ifname: 'eth2', percent: 25 });
      network.apply({ kind: 'loss', node: 'pe1', ifname: 'eth1', percent: 40 });
    },
  },
  { name: 'silent node', verdict: 'inconclusive', apply: () => {}, silent: 'p2' },
];

/** What a whole question ended in: everything that was signed, and the bytes of what the rules answer for. */
export type Told = {
  readonly report: Report;
  /** RFC 8785 bytes of the report without the words of the sentence and without candidates that are marked as the model's. */
  readonly rulesPart: string;
  readonly asked: number;
};

const keys = new Map<string, FakeParty>();

/** The same keys in every run; nonces start anew. */
function sameParty(name: string): FakeParty {
  const known = keys.get(name) ?? fakeParty(name);
  keys.set(name, known);
  let nonce = 0;
  return { ...known, nonces: { boot: '1-0011223344556677', next: () => String(++nonce) } };
}

/** The same bytes in every run. */
function sameRandom() {
  let turn = 0;
  return {
    bytes: (byteCount: number) =>
      new Uint8Array(createHash('shake256', { outputLength: byteCount }).update(`chance ${++turn}`).digest()),
  };
}

/** Ten milliseconds pass between any two looks at it; nobody waits. */
function steadyClock(): Clock {
  let ms = 0;
  return {
    nowMs: () => 1_767_225_600_000,
    monotonicMs: () => {
      ms += 10;
      return ms;
    },
    sleep: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

export async function wholeQuestion(each: WholeCase, narrator: Narrator): Promise<Omit<Told, 'asked'>> {
  const domain = createTestDomain(undefined, {
    random: sameRandom(),
    party: sameParty,
    deviceClock: steadyClock(),
  });
  for (const other of ['p2', 'pe3']) hear(domain.node('pe1'), other);
  each.apply(domain);
  const { sessions } = sessionsOf(domain, 'pe1', async (target) => {
    if (target.node === each.silent) throw new Error('no answer');
    return domain.session('pe1', target.node);
  });
  const question = { ...LOCAL_ASKER, text: INTENT, signal: new AbortController().signal, onProgress: () => {} };
  const { sealed } = await investigate(question, partsOf(domain, 'pe1', { sessions, narrator, probeCount: 100 }));
  const report = JSON.parse(Buffer.from(sealed.report.payload, 'base64').toString('utf8')) as Report;
  return { report, rulesPart: rulesPartOf(report) };
}

export async function wholeWithModel(each: WholeCase, model: RecordedModel, timeoutMs: number): Promise<Told> {
  await using server = await listenFakeOllama(model.reply({ resource: 'N1', fault: 'device_down' }));
  const narrator = createNarrator({ host: server.host, model: 'recorded', timeoutMs, faults: FAULT_FORMS });
  return { ...(await wholeQuestion(each, narrator)), asked: server.asked.length };
}

function rulesPartOf(report: Report): string {
  const { sentence: _sentence, sentenceSource: _source, candidates, ...rest } = report;
  return canonicalJsonText({ ...rest, candidates: candidates.filter(({ source }) => source !== 'model') } as never);
}
