// Lines of cases as Markdown, for docs: what was run, scores with intervals, what each fault was taken for, cost, and every case that is
// wrong with what was said about it. Pure.
import {
  aggregate,
  bootstrap,
  byFault,
  confusion,
  costOf,
  type Interval,
  isRight,
  labFigures,
  type Spread,
} from './aggregate.ts';
import type { CaseLine } from './line.ts';

export function reportOf(lines: readonly CaseLine[]): string {
  const valid = lines.filter((line) => line.invalid === undefined);
  return `${[
    ...runSection(lines, valid),
    ...scoreSection(valid),
    ...netOpsSection(valid),
    ...faultSection(valid),
    ...confusionSection(valid),
    ...costSection(valid),
    ...wrongSection(valid),
    ...invalidSection(lines),
  ].join('\n')}\n`;
}

type Cell = string | number;

function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string[] {
  const line = (cells: readonly Cell[]) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line), ''];
}

function runSection(lines: readonly CaseLine[], valid: readonly CaseLine[]): string[] {
  const distinct = (values: readonly (string | number | undefined)[]) =>
    [...new Set(values.filter((value) => value !== undefined))].sort().join(', ');
  const lab = labFigures(lines);
  const why = Object.entries(lab.rebuiltBecause).map(([reason, count]) => `${reason} ${count}`);
  return [
    '## What was run',
    '',
    `${lines.length} cases, ${lines.length - valid.length} of them invalid and not scored; seeds ${distinct(lines.map((line) => line.seed))}; networks ${distinct(lines.map((line) => line.size))}.`,
    `Default timers in ${count(valid, (line) => line.timers === 'default')}, an agent silent in ${count(valid, (line) => line.circumstance?.kind === 'silent')}, lying in ${count(valid, (line) => line.circumstance?.kind === 'lying')}.`,
    `The lab was built ${lab.rebuilt} times (${why.join(', ')}); a case took ${seconds(lab.overheadSeconds)} s beside the question.`,
    `Load average of the machine: ${seconds(lab.load)}.`,
    '',
  ];
}

function scoreSection(valid: readonly CaseLine[]): string[] {
  const healthy = valid.filter((line) => line.kind === 'healthy' && line.circumstance === undefined);
  const faulty = valid.filter((line) => line.kind !== 'healthy');
  const groups: (readonly [string, readonly CaseLine[]])[] = [
    ['all', valid],
    ['faults', faulty],
    ['one fault', faulty.filter((line) => line.kind === 'single')],
    ['two faults', faulty.filter((line) => line.kind === 'several')],
    ['fault that is over', faulty.filter((line) => line.kind === 'over')],
    ['healthy', healthy],
    ['faults that NIKA has, and healthy', valid.filter((line) => line.nika?.known === true)],
    ['default timers', valid.filter((line) => line.timers === 'default')],
    ['one agent silent', valid.filter((line) => line.circumstance?.kind === 'silent')],
    ['one agent lying', valid.filter((line) => line.circumstance?.kind === 'lying')],
  ];
  const mean = (interval: Interval | null) =>
    interval === null ? '—' : `${interval.mean.toFixed(3)} (${interval.low.toFixed(3)}–${interval.high.toFixed(3)})`;
  const lies = aggregate(valid)['lies'] as { runs: number; othersAccused: number; verdicts: object } | null;
  return [
    '## Scores',
    '',
    'Means with 95 % bootstrap intervals over cases. An inconclusive answer scores nothing.',
    '',
    ...table(
      ['cases', 'runs', 'root-cause F1', 'localization F1', 'detection'],
      groups
        .filter(([, of]) => of.length > 0)
        .map(([name, of]) => [
          name,
          of.length,
          mean(bootstrap(of.map((line) => line.rcaF1))),
          mean(bootstrap(of.map((line) => line.localizationF1))),
          mean(bootstrap(of.map((line) => line.detection))),
        ]),
    ),
    ...table(
      ['healthy networks', 'runs', 'called healthy', 'called faulty', 'inconclusive', 'findings'],
      [...Map.groupBy(healthy, (line) => line.what.join(' + '))].map(([what, of]) => [
        what,
        of.length,
        count(of, (line) => line.verdict === 'healthy'),
        count(of, (line) => line.verdict === 'fault'),
        count(of, (line) => line.verdict === 'inconclusive'),
        of.reduce((sum, line) => sum + line.predicted.length, 0),
      ]),
    ),
    ...(lies === null
      ? []
      : [
          `Lies: ${lies.runs} runs, others accused in ${lies.othersAccused}; verdicts ${JSON.stringify(lies.verdicts)}.`,
          '',
        ]),
  ];
}

function netOpsSection(valid: readonly CaseLine[]): string[] {
  const scored = valid.filter((line) => line.netOpsBench !== undefined && line.kind !== 'healthy');
  if (scored.length === 0) return [];
  const row = (name: string, of: readonly CaseLine[]) => {
    const ported = of.filter((line) => line.netOpsBench!.interface !== null);
    return [
      name,
      of.length,
      share(
        count(of, (line) => line.netOpsBench!.device),
        of.length,
      ),
      share(
        count(ported, (line) => line.netOpsBench!.interface === true),
        ported.length,
      ),
      share(
        count(of, (line) => line.netOpsBench!.type),
        of.length,
      ),
    ];
  };
  const byType = [...Map.groupBy(scored, (line) => line.what.join(' + '))].sort(([one], [other]) =>
    one.localeCompare(other),
  );
  return [
    '## As NetOpsBench scores',
    '',
    'One device, one interface and one type a case; only faults that NetOpsBench has.',
    '',
    ...table(
      ['fault', 'cases', 'device', 'interface', 'type'],
      [...byType.map(([what, of]) => row(what, of)), row('all', scored)],
    ),
  ];
}

function faultSection(valid: readonly CaseLine[]): string[] {
  const rows = Object.entries(byFault(valid.filter((line) => line.kind !== 'healthy')));
  if (rows.length === 0) return [];
  return [
    '## By injection',
    '',
    'Cases with two faults count for both; `exact` is the whole answer, `place` every resource and no other.',
    '',
    ...table(
      ['injection', 'cases', 'exact', 'place'],
      rows.map(([what, { cases, right, place }]) => [`\`${what}\``, cases, right, place]),
    ),
  ];
}

function confusionSection(valid: readonly CaseLine[]): string[] {
  const rows = Object.entries(confusion(valid)).sort(([one], [other]) => one.localeCompare(other));
  return [
    '## Confusion',
    '',
    'What each true fault was called, with the number of times; its own name means the right fault at the right place.',
    '',
    ...table(
      ['true fault', 'called'],
      rows.map(([fault, said]) => [
        `\`${fault}\``,
        Object.entries(said)
          .sort(([, one], [, other]) => other - one)
          .map(([name, times]) => `${name} ${times}`)
          .join(', '),
      ]),
    ),
  ];
}

function costSection(valid: readonly CaseLine[]): string[] {
  const name = (line: CaseLine) => {
    const about = line.what[0]?.startsWith('ask ') ? line.what[0].slice('ask '.length) : 'cases';
    return `${line.size} / ${line.hops === undefined ? about : `path of ${line.hops}`}`;
  };
  const groups = [...Map.groupBy(valid, name)].sort(([one], [other]) => one.localeCompare(other));
  return [
    '## Cost',
    '',
    'Of a question, from the operator’s command to its answer; calls are tool calls to agents, octets are those that the asked node exchanged with other agents. Median / 95th percentile / maximum.',
    '',
    ...table(
      ['network / question', 'questions', 'seconds', 'calls', 'octets between agents', 'octets of the answer'],
      groups.map(([group, of]) => {
        const cost = costOf(of);
        return [group, cost.questions, ...[cost.seconds, cost.calls, cost.wireBytes, cost.bytes].map(seconds)];
      }),
    ),
  ];
}

function wrongSection(valid: readonly CaseLine[]): string[] {
  const wrong = valid.filter((line) => !isRight(line));
  const pairs = (list: CaseLine['truth']) =>
    list.map((pair) => `\`${pair.fault}\` at ${pair.resource}`).join(', ') || 'nothing';
  return [
    `## Cases that are wrong (${wrong.length} of ${valid.length})`,
    '',
    ...wrong.flatMap((line) => [
      `- **${line.scenario}** (${line.kind}: ${line.what.join(' + ')}${circumstanceOf(line)}) “${line.intent}”: ${line.verdict}. True: ${pairs(line.truth)}. Said: ${pairs(line.predicted)}.`,
      ...(line.failed === undefined ? [] : [`  - no answer: ${line.failed.slice(0, 300).replaceAll('\n', ' ')}`]),
      ...line.reasons.map((reason) => `  - ${reason.slice(0, 300)}`),
    ]),
    '',
  ];
}

function invalidSection(lines: readonly CaseLine[]): string[] {
  const invalid = lines.filter((line) => line.invalid !== undefined);
  return [
    `## Invalid cases (${invalid.length}), not scored`,
    '',
    ...invalid.map((line) => `- **${line.scenario}** (${line.what.join(' + ')}): ${line.invalid!.slice(0, 300)}`),
  ];
}

const circumstanceOf = (line: CaseLine): string =>
  line.circumstance === undefined ? '' : `, agent of ${line.circumstance.node} ${line.circumstance.how}`;
const count = (lines: readonly CaseLine[], is: (line: CaseLine) => boolean): number => lines.filter(is).length;
const share = (part: number, of: number): string => (of === 0 ? '—' : `${part} of ${of}`);
const seconds = (spread: Spread | null): string =>
  spread === null ? '—' : `${spread.median} / ${spread.p95} / ${spread.max}`;
