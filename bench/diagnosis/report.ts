// Lines of cases as Markdown, for docs: what was run, scores with intervals, what each fault was taken for, cost, and every case that is
// wrong with what was said about it. Pure.
import { productionScore } from '../production.ts';
import { aggregate, byFault, confusion, costOf, isRight, labFigures, type Spread } from './aggregate.ts';
import { bootstrap, type Interval } from './bootstrap.ts';
import { isAtSilentNode } from './circumstances.ts';
import type { CaseLine } from './line.ts';
import { type NetOpsFigures, netOpsFigures } from './netopsbench-figures.ts';

/** Why a case is wrong, by its id, as whoever looked into it wrote it down; `sure` only where it was seen. */
export type Whys = { readonly [scenario: string]: { readonly why: string; readonly sure: boolean } };

export function reportOf(lines: readonly CaseLine[], whys: Whys = {}): string {
  const valid = lines.filter((line) => line.invalid === undefined);
  return `${[
    ...runSection(lines, valid),
    ...scoreSection(valid),
    ...productionSection(valid),
    ...netOpsSection(valid),
    ...faultSection(valid),
    ...confusionSection(valid),
    ...costSection(valid),
    ...wrongSection(valid, whys),
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
    `The lab was built ${lab.rebuilt} times (${why.join(', ')}); a case took ${seconds(lab.overheadSeconds)} s beside the question (median, 95th percentile, longest).`,
    `Load average of the machine: ${seconds(lab.load)} (median, 95th percentile, highest).`,
    `The program was at ${programsOf(lines)}. No language model was configured.`,
    '',
  ];
}

/** Figures of several programs are of none: which they were, and how many cases each. */
function programsOf(lines: readonly CaseLine[]): string {
  const groups = [...Map.groupBy(lines, (line) => line.program ?? 'an unknown commit')];
  const of = groups.map(([program, cases]) => `${program} (${cases.length} cases)`).join(', ');
  return groups.length > 1 ? `${of}: these figures are of several programs, and of none of them alone` : of;
}

/** A healthy network is rightly inconclusive when one of its agents is silent, and counts for nothing here. */
function silentGroups(valid: readonly CaseLine[]): (readonly [string, readonly CaseLine[]])[] {
  const silent = valid.filter((line) => line.kind !== 'healthy' && line.circumstance?.kind === 'silent');
  return [
    ['one agent silent, faults', silent],
    ['of them: a fault at the silent node or at a host that has no other router', silent.filter(isAtSilentNode)],
    ['of them: others', silent.filter((line) => !isAtSilentNode(line))],
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
    ...silentGroups(valid),
    ['one agent lying', valid.filter((line) => line.circumstance?.kind === 'lying')],
  ];
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
          meanOf(bootstrap(of.map((line) => line.rcaF1))),
          meanOf(bootstrap(of.map((line) => line.localizationF1))),
          meanOf(bootstrap(of.map((line) => line.detection))),
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

function productionSection(valid: readonly CaseLine[]): string[] {
  const faulty = valid.filter((line) => line.kind !== 'healthy');
  const { rcaF1, classes, lacking } = productionScore(
    faulty.map((line) => ({ faults: line.truth.map(({ fault }) => fault), rcaF1: line.rcaF1 })),
  );
  if (rcaF1 === null) return [];
  const without = lacking.length === 0 ? '' : ` No case of: ${lacking.join(', ')}.`;
  return [
    '## Weighted as production fails',
    '',
    `Root-cause F1 ${rcaF1.toFixed(3)}: each class by the mean of its cases, weighted by its share of real outages.${without}`,
    '',
    ...table(
      ['class', 'weight', 'cases', 'root-cause F1'],
      Object.entries(classes).map(([name, row]) => [name, row.weight, row.cases, row.rcaF1?.toFixed(3) ?? '—']),
    ),
  ];
}

function netOpsSection(valid: readonly CaseLine[]): string[] {
  const scored = valid.filter((line) => line.netOpsBench !== undefined);
  const faults = scored.filter((line) => line.kind !== 'healthy' && line.kind !== 'over');
  if (faults.length === 0) return [];
  const row = (name: string, of: readonly CaseLine[]) => {
    const ported = of.filter((line) => line.netOpsBench!.interface !== null);
    const hits = (list: readonly CaseLine[], what: 'verdict' | 'device' | 'interface' | 'type') =>
      share(
        count(list, (line) => line.netOpsBench![what] === true),
        list.length,
      );
    return [name, of.length, hits(of, 'verdict'), hits(of, 'device'), hits(ported, 'interface'), hits(of, 'type')];
  };
  const byType = [...Map.groupBy(faults, (line) => line.what.join(' + '))].sort(([one], [other]) =>
    one.localeCompare(other),
  );
  const over = scored.filter((line) => line.kind === 'over');
  return [
    '## As NetOpsBench scores',
    '',
    'One device, one interface and one type a case; only faults that NetOpsBench has, at one place, and healthy networks. Its figures are over faults that were there when the question was asked.',
    '',
    ...netOpsTable(netOpsFigures(scored.filter((line) => line.kind !== 'over'))),
    ...table(
      ['fault', 'cases', 'verdict', 'device', 'interface', 'type'],
      [
        ...byType.map(([what, of]) => row(what, of)),
        row('all', faults),
        ...(over.length === 0 ? [] : [row('over when asked, not counted above', over)]),
      ],
    ),
  ];
}

function netOpsTable(figures: NetOpsFigures): string[] {
  const cell = (value: number | null) => (value === null ? '—' : value.toFixed(3));
  return table(
    [
      ...['cases', 'verdict accuracy', 'verdict precision', 'verdict recall', 'verdict F1', 'device', 'interface'],
      ...['localization composite', 'type', 'overall accuracy', 'diagnosis score'],
    ],
    [
      [
        figures.cases,
        ...[figures.detectionAccuracy, figures.precision, figures.recall, figures.verdictF1].map(cell),
        ...[figures.device, figures.interface, figures.localizationComposite, figures.type].map(cell),
        cell(figures.overallAccuracy),
        meanOf(figures.diagnosisScore),
      ],
    ],
  );
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
    'Seconds are from the operator’s command to its answer, and from the intent to the sealed report as the asked node measures it, where that was kept; calls are tool calls to agents, the asked one included; probe packets are those that these calls asked for, on all nodes together; octets are those that the asked node alone sent to and received from other agents. Median / 95th percentile / maximum.',
    '',
    ...table(
      [
        'network / question',
        'questions',
        'seconds',
        'to the sealed report',
        'calls',
        'probe packets',
        'octets of the asked node with others',
        'octets of the answer',
      ],
      groups.map(([group, of]) => {
        const cost = costOf(of);
        return [
          group,
          cost.questions,
          ...[cost.seconds, cost.sealedSeconds, cost.calls, cost.probePackets, cost.wireBytes, cost.bytes].map(seconds),
        ];
      }),
    ),
  ];
}

function wrongSection(valid: readonly CaseLine[], whys: Whys): string[] {
  const wrong = valid.filter((line) => !isRight(line));
  const pairs = (list: CaseLine['truth']) =>
    list.map((pair) => `\`${pair.fault}\` at ${pair.resource}`).join(', ') || 'nothing';
  return [
    `## Cases that are wrong (${wrong.length} of ${valid.length})`,
    '',
    ...wrong.flatMap((line) => [
      `- **${line.scenario}** (${line.kind}: ${line.what.join(' + ')}${circumstanceOf(line)}) “${line.intent}”: ${line.verdict}. True: ${pairs(line.truth)}. Said: ${pairs(line.predicted)}.`,
      `  Why: ${whyOf(whys[line.scenario])}`,
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

function whyOf(known: Whys[string] | undefined): string {
  if (known === undefined) return 'not known.';
  return known.sure ? known.why : `supposed, not seen: ${known.why}`;
}

const circumstanceOf = (line: CaseLine): string =>
  line.circumstance === undefined ? '' : `, agent of ${line.circumstance.node} ${line.circumstance.how}`;
const count = (lines: readonly CaseLine[], is: (line: CaseLine) => boolean): number => lines.filter(is).length;
const meanOf = (interval: Interval | null): string =>
  interval === null ? '—' : `${interval.mean.toFixed(3)} (${interval.low.toFixed(3)}–${interval.high.toFixed(3)})`;
const share = (part: number, of: number): string => (of === 0 ? '—' : `${part} of ${of}`);
const seconds = (spread: Spread | null): string =>
  spread === null ? '—' : `${spread.median} / ${spread.p95} / ${spread.max}`;
