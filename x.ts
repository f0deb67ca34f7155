import { caseFiles, loadCase } from './scripts/replay/case-files.ts';
import { translated } from './scripts/replay/translate.ts';
import { inputOf } from './scripts/replay/replay-case.ts';
import { diagnose } from './src/correlate/diagnose.ts';
const counts: any = {};
for (const path of caseFiles(['test/replay/cases'])) {
  const input = inputOf(translated(loadCase(path).case));
  const d = diagnose(input);
  if (d.findings.length === 0) continue;
  const at='2026-01-01T00:00:00.000Z';
  const lines = d.findings.map((f) => ({ kind: 'allow', fault: f.fault, resource: f.resource, until: '2027-01-01T00:00:00.000Z', reason: 'r', owner: 'o' })) as any;
  const q = diagnose({ ...input, said: { node: 'zz', at, lines } });
  const key = `${d.verdict.kind}->${q.verdict.kind}`;
  counts[key] = (counts[key] ?? 0) + 1;
  if (q.verdict.kind !== "healthy" && !q.verdict.reasons[0].startsWith("nothing is wrong now")) {
    console.log(path.split('/').at(-1), d.findings.map((f) => `${f.fault} ${f.resource}`).join(', '));
    for (const r of q.verdict.reasons.slice(0, 6)) console.log('    ', r);
    for (const f of q.findings) console.log('   FINDING', f.fault, f.resource);
  }
}
console.log(counts);
