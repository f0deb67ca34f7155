// What an answer about a drawn network is worth. Any finding in a healthy network is an accusation; in a faulty one, any about a place that is
// none of the fault's. `healthy` is wrong where users' traffic of that question suffers. Pure.
import type { Truth } from '../../simulations/generate/odd/faults/mechanism.ts';
import type { ForeignAnswer } from '../../simulations/lab/foreign/run.ts';
import { spread } from '../diagnosis/aggregate.ts';
import { mean, thousandths } from '../diagnosis/bootstrap.ts';
import { type Outcome, outcomeOf } from '../foreign-faults.ts';
import { productionScore } from '../production.ts';

export type OddAnswer = Omit<ForeignAnswer, 'printed'> & {
  /** What was asked about fared worse than before the fault. */
  readonly isHarmed: boolean;
};

export type OddLine = {
  readonly case: string;
  readonly program: string;
  readonly shape: string;
  readonly family: string;
  readonly routers: number;
  readonly oddities: readonly string[];
  readonly fault?: string;
  readonly by?: string;
  readonly truth?: Truth;
  readonly harm: readonly string[];
  readonly answers: readonly OddAnswer[];
  readonly seconds: number;
  readonly invalid?: string;
};

/** As for other people's faults; `unharmed`: called healthy, and what was asked about is. */
export type OddOutcome = Outcome | 'unharmed';

export function judged(answer: OddAnswer, truth: Truth | undefined): OddOutcome {
  const outcome = outcomeOf(
    { verdict: answer.verdict, predicted: answer.findings },
    truth === undefined ? undefined : { items: [truth] },
    answer.reasons,
  );
  return outcome === 'healthy' && !answer.isHarmed ? 'unharmed' : outcome;
}

/** Of pairs of resource and fault, where any right name is whole and every other one is a wrong guess; an undecided answer is worth nothing. */
export function rcaF1(
  { verdict, findings }: Pick<OddAnswer, 'verdict' | 'findings'>,
  truth: Truth | undefined,
): number {
  if (verdict !== 'fault' && verdict !== 'healthy') return 0;
  if (truth === undefined) return findings.length === 0 ? 1 : 0;
  const said = new Set(findings.map(({ resource, fault }) => `${resource} ${fault}`));
  const hits = [...said].filter((each) => truth.right.includes(each)).length;
  if (hits === 0) return 0;
  const precision = hits / said.size;
  return (2 * precision) / (precision + 1);
}

export function figuresOf(lines: readonly OddLine[]) {
  const valid = lines.filter(({ invalid }) => invalid === undefined);
  const healthy = valid.filter(({ fault }) => fault === undefined);
  const faulty = valid.filter(({ fault }) => fault !== undefined);
  const first = (line: OddLine) => line.answers[0]!;
  const all = valid.flatMap(({ answers }) => answers);
  return {
    cases: lines.length,
    invalid: lines.flatMap((line) => (line.invalid === undefined ? [] : [{ case: line.case, why: line.invalid }])),
    healthy: {
      networks: healthy.length,
      calledHealthy: healthy.filter(({ answers }) => answers.every(({ verdict }) => verdict === 'healthy')).length,
      findings: healthy.flatMap(({ answers }) => answers).reduce((sum, { findings }) => sum + findings.length, 0),
      accused: healthy
        .filter(({ answers }) => answers.some(({ findings }) => findings.length > 0))
        .map((line) => line.case),
      verdicts: counted(healthy.flatMap(({ answers }) => answers.map(({ verdict }) => verdict))),
    },
    faulty: {
      cases: faulty.length,
      harmless: faulty.filter(({ harm }) => harm.length === 0).length,
      outcomes: counted(faulty.map((line) => judged(first(line), line.truth))),
      outcomesOfAllQuestions: counted(
        faulty.flatMap((line) => line.answers.map((answer) => judged(answer, line.truth))),
      ),
      innocentAccused: faulty
        .filter((line) => line.answers.some((each) => judged(each, line.truth) === 'accused'))
        .map((line) => line.case),
      healthyWhileHarm: faulty
        .filter((line) => line.answers.some((each) => judged(each, line.truth) === 'healthy'))
        .map((line) => line.case),
    },
    rcaF1: shareOf(valid.map((line) => rcaF1(first(line), line.truth))),
    rcaF1Faulty: shareOf(faulty.map((line) => rcaF1(first(line), line.truth))),
    production: productionScore(
      faulty.map((line) => ({ faults: [line.fault!], rcaF1: rcaF1(first(line), line.truth) })),
    ),
    byShape: Object.fromEntries(
      [...Map.groupBy(valid, ({ shape }) => shape)].map(([shape, of]) => [
        shape,
        { cases: of.length, rcaF1: shareOf(of.map((line) => rcaF1(first(line), line.truth))) },
      ]),
    ),
    secondsOfQuestion: spread(all.map(({ seconds }) => seconds)),
    wrong: valid.flatMap(wrongOf),
  };
}

/** Answers that are not what they should be, with all that one wants to know of them. */
function wrongOf(line: OddLine) {
  return line.answers.flatMap((answer) => {
    const outcome = judged(answer, line.truth);
    if (['named', 'placed', 'clear', 'unharmed'].includes(outcome)) return [];
    const { node, q, verdict, findings, sentence } = answer;
    const found = findings.map(({ fault, resource }) => `${fault} at ${resource}`);
    return [
      {
        case: line.case,
        ...(line.fault === undefined ? {} : { fault: `${line.fault}: ${line.by}` }),
        outcome,
        asked: `${node}: ${q}`,
        verdict,
        found,
        sentence,
      },
    ];
  });
}

const shareOf = (values: readonly number[]): number | null => (values.length === 0 ? null : thousandths(mean(values)));

function counted(values: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries([...Map.groupBy(values, (value) => value)].map(([value, of]) => [value, of.length]));
}
