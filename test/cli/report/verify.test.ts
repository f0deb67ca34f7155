// `parley report verify` as an operator runs it, on a report under real certificates: its exit codes, and what it says is missing.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Report } from '#model/report.ts';
import { assembleReport } from '#report/assemble.ts';
import { sealReport } from '#report/seal.ts';
import { createSigner } from '#sign/signer.ts';
import { runParley } from '../../agent/agent-bed.ts';
import { type FakeParty, fakeClock, fakeExchange, fakeParty } from '../../fakes/signed-exchange.ts';
import { createDomain, type Domain } from '../../mtls/domain.ts';
import { evidenceOf, fileOf, reportParts } from '../../report/fixture.ts';

let domain: Domain;
let dir: string;
/** The nodes as they are named: with the hyphen that a key has not. */
let pe1: FakeParty;
let p2: FakeParty;

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'parley-verify-'));
  domain = await createDomain('lab.example', fakeClock);
  [pe1, p2] = [await nodeNamed('pe-1'), await nodeNamed('p-2')];
});
after(() => Promise.all([domain.remove(), rm(dir, { recursive: true })]));

async function nodeNamed(name: string): Promise<FakeParty> {
  const { party, chain, signingKey } = await domain.identity(name);
  return { ...fakeParty(name), party, chain, signer: createSigner({ node: name, privateKey: signingKey }) };
}

/** Both nodes of the question answered. */
function wholeReport(): Report {
  const exchanges = [
    { exchange: fakeExchange(pe1, pe1, { interfaces: [] }), callee: pe1 },
    { exchange: fakeExchange(pe1, p2, { interfaces: [] }), callee: p2 },
  ];
  const { diagnosis, ...parts } = reportParts();
  return assembleReport({
    ...parts,
    ...{ creator: 'pe-1', creatorChain: pe1.chain, diagnosis: { ...diagnosis, findings: [] } },
    outcomes: exchanges.map(({ exchange }) => exchange.outcome),
    evidence: exchanges.map(({ exchange, callee }) => evidenceOf(exchange, callee)),
  });
}

/** `forge`: applied to the file after it was signed. */
async function verified(report: Report, forge = (text: string) => text) {
  const file = join(dir, 'report.json');
  await writeFile(file, forge(fileOf(sealReport(report, pe1.signer)).toString()));
  const ca = join(domain.dir, 'ca', 'ca.pem');
  const { exitCode, stdout } = await runParley(['report', 'verify', file, '--ca', ca, '--json']);
  const { ok, gaps } = JSON.parse(stdout);
  return { exitCode, ok, gaps, text: (await runParley(['report', 'verify', file, '--ca', ca])).stdout };
}

test('a report that holds what it says ends with 0, also where names have hyphens [TS-16]', async () => {
  const { text, ...result } = await verified(wholeReport());
  assert.deepEqual(result, { exitCode: 0, ok: true, gaps: [] }, text);
  assert.match(text, /every signature holds$/m);
});

test('a report whose signatures hold and that leaves a node out ends with 3, and says which part is not proven [TS-21]', async () => {
  const report = wholeReport();
  const outcomes = report.outcomes.filter(({ node }) => node !== 'p-2');
  const { items, evidence, envelopes, chains, signatures } = report;
  const { 'p-2': _chain, ...otherChains } = chains;
  const { 'p-2': _signature, ...otherSignatures } = signatures;
  const { text, ...result } = await verified({
    ...report,
    ...{ outcomes, items: items.slice(0, 1), evidence: evidence.slice(0, 1), envelopes: envelopes.slice(0, 1) },
    ...{ chains: otherChains, signatures: otherSignatures },
  });
  const gap = 'anything about p2: the question names it, and no call to it is in the report';
  assert.deepEqual(result, { exitCode: 3, ok: true, gaps: [gap] }, text);
  assert.match(text, /every signature holds, BUT 1 part is missing, or signed at another time than the report says$/m);
  assert.ok(text.includes(`not proven: ${gap}\n`), text);
});

test('a report that was changed after it was signed ends with 5, whatever it leaves out', async () => {
  const changed = await verified(wholeReport(), (text) => {
    const sealed = JSON.parse(text);
    const report = Buffer.from(sealed.report.payload, 'base64').toString('utf8').replace('3 of 100', '0 of 100');
    return JSON.stringify({ ...sealed, report: { ...sealed.report, payload: Buffer.from(report).toString('base64') } });
  });
  assert.deepEqual([changed.exitCode, changed.ok, changed.gaps], [5, false, []]);
  assert.match(changed.text, /DOES NOT VERIFY$/m);
});
