// How questions in everyday words are understood: every question of `test/intent/questions.yaml` (or `--file FILE`) is held against what it means.
// One half was looked at while the reader was made, the other only counts. `--show` prints what went wrong in the half that is looked at;
// `--show all` of a `--file` all of it.
import { parseArgs } from 'node:util';
import { type AskedNetwork, type AskedQuestion, halvesOf, readQuestions } from './asking/questions.ts';
import { SCORES, type Score, type Scored, scoreOf } from './asking/score.ts';
import type { Benchmark } from './main.ts';

const OPTIONS = {
  json: { type: 'boolean' },
  file: { type: 'string' },
  show: { type: 'boolean' },
} as const;

export const bench: Benchmark = async (args, say) => {
  const { values: flags } = parseArgs({ args: [...args], options: OPTIONS });
  const sets = readQuestions(flags.file);
  const isOwn = flags.file === undefined;
  const shown = sets.flatMap((set) => scored(isOwn ? halvesOf(set).looked : set.questions, set.network));
  const counting = isOwn ? sets.flatMap((set) => scored(halvesOf(set).counting, set.network)) : [];
  if (flags.show) for (const each of shown.filter(({ score }) => !isGood(score))) say(lineOf(each));
  return { looked: ratesOf(shown), ...(counting.length === 0 ? {} : { counting: ratesOf(counting) }) };
};

function scored(questions: readonly AskedQuestion[], network: AskedNetwork): readonly Scored[] {
  return questions.map((question) => scoreOf(question, network));
}

function isGood(score: Score): boolean {
  return score === 'as-meant' || score === 'refused-rightly';
}

function lineOf({ question, score, got }: Scored): string {
  return `${score}  [${question.style}] ${question.q}\n    ${got}`;
}

/** `understoodPercent` counts a refusal where only that is right; `answerablePercent` is of the questions that have a meaning to answer. */
function ratesOf(all: readonly Scored[]): Readonly<Record<string, unknown>> {
  const countOf = (score: Score) => all.filter((each) => each.score === score).length;
  const counts = Object.fromEntries(SCORES.map((score) => [score, countOf(score)]));
  const mustRefuse = all.filter(({ question }) => question.means === undefined);
  const answerable = all.filter(({ question }) => question.means !== undefined);
  const asMeant = countOf('as-meant') + mustRefuse.filter(({ score }) => score === 'refused-rightly').length;
  return {
    ...{ questions: all.length, ...counts },
    understoodPercent: percentOf(asMeant, all.length),
    answerablePercent: percentOf(answerable.filter(({ score }) => score === 'as-meant').length, answerable.length),
  };
}

function percentOf(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 1_000) / 10;
}
