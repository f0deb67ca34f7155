// Reads the project's own TypeScript files for the gates: which files there are, their text without comments and
// strings, and what they import. No parser: a scanner that knows comments, strings, templates and regular expressions.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');

export type SourceFile = {
  /** Path from the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** The text with comments blanked; positions stay. */
  readonly code: string;
  /** The text with comments and the inside of strings, templates and regular expressions blanked; positions stay. */
  readonly bare: string;
};

export type Import = {
  readonly specifier: string;
  readonly line: number;
  readonly kind: 'static' | 'dynamic' | 'export';
};

/** All files below `folders` whose names end in `ending`, sorted; generated and installed folders are left out. */
export function listFiles(root: string, folders: readonly string[], ending: string): string[] {
  const found: string[] = [];
  const walk = (folder: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.name === 'node_modules' || entry.name === 'dist' || entry.name === '.git') continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile() && entry.name.endsWith(ending)) found.push(relative(root, path));
    }
  };
  for (const folder of folders) if (existsSync(join(root, folder))) walk(join(root, folder));
  return found.sort();
}

export function readSource(root: string, path: string): SourceFile {
  return sourceOf(path, readFileSync(join(root, path), 'utf8'));
}

export function sourceOf(path: string, text: string): SourceFile {
  const { code, bare } = blank(text);
  return { path, text, code, bare };
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Lines of `wanted` that `written` lacks, for gates that say what is stale without printing whole documents. */
export function missingLines(written: string, wanted: string): string[] {
  const there = new Set(written.split('\n'));
  return written === wanted ? [] : [...wanted.split('\n').filter((line) => !there.has(line)), '(or lines too many)'];
}

/** Imports and re-exports of a file; a dynamic import whose argument is not a plain string has the specifier `?`. */
export function importsOf(file: SourceFile): Import[] {
  const found: Import[] = [];
  const add = (match: RegExpExecArray, kind: Import['kind']) => {
    const open = match.index + match[0].length - 1;
    const quote = file.bare[open] ?? '';
    const close = file.bare.indexOf(quote, open + 1);
    const plain = `'"\``.includes(quote) && !file.code.slice(open, close).includes('${');
    const specifier = plain ? file.code.slice(open + 1, close) : '?';
    found.push({ specifier, line: lineAt(file.text, match.index), kind });
  };
  for (const match of matches(file.bare, /(?<![\w.$])import\b[^;'"()=]*?['"]/g)) add(match, 'static');
  for (const match of matches(file.bare, /(?<![\w.$])export\s+(?:type\s+)?[*{][^;'"()=]*?\bfrom\s*['"]/g))
    add(match, 'export');
  for (const match of matches(file.bare, /(?<![\w.$])(?:import|require)\s*\(\s*[^\s)]/g)) add(match, 'dynamic');
  return found;
}

function* matches(text: string, pattern: RegExp): Generator<RegExpExecArray> {
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) yield match;
}

/** One pass over the text. A `/` opens a regular expression where no value can stand before it. */
function blank(text: string): { code: string; bare: string } {
  const code = text.split('');
  const bare = text.split('');
  const wipe = (target: string[], from: number, to: number) => {
    for (let i = from; i < to; i++) if (target[i] !== '\n') target[i] = ' ';
  };
  const templateDepths: number[] = [];
  let depth = 0;
  let before = '';
  let at = 0;
  const quoted = (from: number, end: number) => {
    wipe(bare, from + 1, end - 1);
    before = 'x';
    at = end;
  };
  const template = (from: number) => {
    const stop = templateStop(text, from);
    wipe(bare, from, text[stop] === '`' ? stop : stop - 1);
    before = text[stop] === '`' ? 'x' : '{';
    if (text[stop] !== '`') templateDepths.push(depth++);
    at = stop + 1;
  };
  while (at < text.length) {
    const char = text[at] ?? '';
    const pair = text.slice(at, at + 2);
    if (pair === '//' || pair === '/*' || (at === 0 && pair === '#!')) {
      const closing = pair === '/*' ? text.indexOf('*/', at + 2) + 2 : text.indexOf('\n', at);
      const end = closing < at + 2 ? text.length : closing;
      wipe(code, at, end);
      wipe(bare, at, end);
      at = end;
    } else if (char === '"' || char === "'") quoted(at, stringEnd(text, at));
    else if (char === '`') template(at + 1);
    else if (char === '}' && templateDepths.at(-1) === depth - 1) {
      depth = templateDepths.pop() ?? 0;
      template(at + 1);
    } else if (char === '/' && opensPattern(text, at, before)) quoted(at, patternEnd(text, at));
    else {
      if (char === '{') depth++;
      if (char === '}') depth--;
      if (!/\s/.test(char)) before = char;
      at++;
    }
  }
  return { code: code.join(''), bare: bare.join('') };
}

function stringEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== text[from] && text[at] !== '\n') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** Position of the closing backtick, or of the `{` of the next `${`. */
function templateStop(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    if (text[at] === '\\') at += 2;
    else if (text[at] === '`') return at;
    else if (text[at] === '$' && text[at + 1] === '{') return at + 1;
    else at++;
  }
  return text.length;
}

function opensPattern(text: string, at: number, before: string): boolean {
  if (before === '' || '(,=:[!&|?{};+-*%<>~^'.includes(before)) return true;
  return /(?<![\w.$])(?:return|typeof|case|in|of|do|else|void|await|yield)\s*$/.test(
    text.slice(Math.max(0, at - 12), at),
  );
}

function patternEnd(text: string, from: number): number {
  let at = from + 1;
  let inClass = false;
  while (at < text.length && text[at] !== '\n' && (inClass || text[at] !== '/')) {
    if (text[at] === '[') inClass = true;
    if (text[at] === ']') inClass = false;
    at += text[at] === '\\' ? 2 : 1;
  }
  return at + 1;
}
