// A table of what a corpus holds: verdicts and faults by network, and kinds of questions.
import { loadCases } from './case-files.ts';
import { faultOf, networkOf } from './features.ts';

export function surveyLines(files: readonly string[]): { readonly lines: readonly string[]; readonly isGood: boolean } {
  const networks = new Set<string>();
  const counts = new Map<string, Map<string, number>>();
  const count = (row: string, network: string) => {
    networks.add(network);
    const cells = counts.get(row) ?? new Map<string, number>();
    counts.set(row, cells.set(network, (cells.get(network) ?? 0) + 1));
  };
  const { found, problems } = loadCases(files);
  for (const { case: each } of found) {
    const { intent, evidence, expected } = each;
    const network = networkOf({ evidence, expected });
    const kinds = new Set(expected.findings.map(faultOf));
    count(`question ${intent.kind}${intent.sinceMs === undefined ? '' : ', lately'}`, network);
    count(`verdict ${expected.verdict.kind}${kinds.size > 1 ? ', several faults' : ''}`, network);
    for (const fault of kinds) count(`fault ${fault}`, network);
  }
  const columns = [...networks].sort();
  const line = (name: string, cells: readonly string[]) => `| ${[name, ...cells].join(' | ')} |`;
  const lines = [
    line('', columns),
    line(
      '---',
      columns.map(() => '---'),
    ),
    ...[...counts]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([row, cells]) =>
        line(
          row,
          columns.map((network) => String(cells.get(network) ?? '')),
        ),
      ),
  ];
  return { lines: [...lines, ...problems], isGood: problems.length === 0 };
}
