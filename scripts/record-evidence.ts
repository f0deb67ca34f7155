// `node --conditions=parley-source scripts/record-evidence.ts REPORT.json > test/correlate/recorded/NAME.json.txt`: what correlation
// saw when a report was made, without signatures, certificates and packets. The tests of the rules play it back.
import { readFileSync } from 'node:fs';
import type { Report } from '#model/report.ts';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('expected the file of a report, as "parley report export" writes it');
const read = JSON.parse(readFileSync(file, 'utf8')) as Report | { readonly report: Report };
const report = 'report' in read ? read.report : read;
const requests = new Map(report.envelopes.map((each) => [each.evidenceId, each.request]));

const evidence = report.items.map(({ id, node, kind, phase, answer }, index) => {
  const body = answer ?? JSON.parse(Buffer.from(report.evidence[index]!, 'base64').toString('utf8'));
  return { id, node, kind, phase, request: requests.get(id), body };
});
const asked = [...new Set(report.outcomes.map((outcome) => outcome.node))];
const path = report.intent.path.map((named) =>
  asked.find((node) => node.replace(/[-_]/g, '').toLowerCase() === named.key),
);
const nodes =
  path.length > 0 && path.every((node) => node !== undefined) && report.intent.kind === 'path-loss' ? path : asked;
process.stdout.write(`${JSON.stringify({ intent: report.intent, nodes, outcomes: report.outcomes, evidence })}\n`);
