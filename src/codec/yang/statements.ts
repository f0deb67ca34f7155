// YANG's own syntax (RFC 7950 §6): keyword, argument, statements below. Total: what is not YANG is a value. Says nothing about what the
// statements mean.

import { bad, ok, type Result } from '#base/result.ts';
import { CODEC_LIMITS } from '../limits.ts';

export type YangStatement = {
  /** `leaf`, or `prefix:name` of an extension. */
  readonly keyword: string;
  /** Quotes taken off, parts joined; empty where there is none. */
  readonly argument: string;
  readonly statements: readonly YangStatement[];
};

type Open = { keyword: string; argument: string; statements: YangStatement[] };

const TOKEN =
  /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/|"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|([;{}])|((?:(?!\/\/|\/\*)[^\s;{}"'])+)/gy;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', '"': '"', '\\': '\\' };

/** The module or submodule that the text is. */
export function parseYang(text: string): Result<YangStatement> {
  if (text.length > CODEC_LIMITS.yangModuleChars)
    return bad(`expected a module of at most ${CODEC_LIMITS.yangModuleChars} characters`);
  const root: Open = { keyword: '', argument: '', statements: [] };
  const stack: Open[] = [root];
  let count = 0;
  /** Words of the statement that has begun: keyword, argument, and `+` between parts. */
  let words: { readonly text: string; readonly quoted: boolean }[] = [];
  TOKEN.lastIndex = 0;
  let end = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    end = TOKEN.lastIndex;
    const [, double, single, sign, word] = match;
    if (double !== undefined) words.push({ text: unquote(double), quoted: true });
    else if (single !== undefined) words.push({ text: single, quoted: true });
    else if (word !== undefined) words.push({ text: word, quoted: false });
    else if (sign === '}') {
      if (words.length > 0 || stack.length === 1) return bad('expected a statement to end before a brace', end);
      stack.pop();
    } else if (sign !== undefined) {
      const statement = statementOf(words);
      words = [];
      count += 1;
      if (statement === undefined) return bad('expected a keyword and at most one argument', end);
      if (count > CODEC_LIMITS.yangStatements || stack.length > CODEC_LIMITS.yangDepth)
        return bad('expected a smaller module', end);
      stack.at(-1)!.statements.push(statement);
      if (sign === '{') stack.push(statement);
    }
    if (words.length > CODEC_LIMITS.yangWords) return bad('expected a statement of fewer words', end);
    if (end === text.length) break;
  }
  if (end !== text.length || stack.length !== 1 || words.length > 0)
    return bad('expected YANG, got something else', end);
  const [only, ...more] = root.statements;
  if (only === undefined || more.length > 0 || !/^(?:sub)?module$/.test(only.keyword))
    return bad('expected one module');
  return ok(only);
}

/** The statement and all below it. */
export function countStatements(statement: YangStatement): number {
  return statement.statements.reduce((count, each) => count + countStatements(each), 1);
}

export function argumentOf(statement: YangStatement, keyword: string): string | undefined {
  return statement.statements.find((entry) => entry.keyword === keyword)?.argument;
}

export function statementsOf(statement: YangStatement, ...keywords: readonly string[]): readonly YangStatement[] {
  return statement.statements.filter((entry) => keywords.includes(entry.keyword));
}

function statementOf(words: readonly { readonly text: string; readonly quoted: boolean }[]): Open | undefined {
  const [keyword, first, ...rest] = words;
  if (keyword === undefined || keyword.quoted) return undefined;
  let argument = first?.text ?? '';
  for (let at = 0; at < rest.length; at += 2) {
    const [plus, part] = [rest[at]!, rest[at + 1]];
    if (plus.quoted || plus.text !== '+' || part === undefined || !part.quoted) return undefined;
    argument += part.text;
  }
  return { keyword: keyword.text, argument, statements: [] };
}

function unquote(text: string): string {
  return text.replace(/\\([\s\S])/g, (whole, sign: string) => ESCAPES[sign] ?? whole);
}
