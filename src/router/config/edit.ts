// Edits of a candidate configuration as an operator types them: `interface eth1`, ` isis metric 20`, `no isis metric`. Pure.
// Every line that is set, removed or pushed must be in the closed set (statements.ts); redacted text is refused [NET-18].
import { LIMITS } from '#base/limits.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { isRedacted } from '#model/redaction.ts';
import { isContext, isFamily, matchFamilyStatement, matchStatement, matchWords, subjectOf } from './statements.ts';
import { type Block, differenceOf, formatBlocks, parseBlocks } from './text.ts';

const PRINTABLE = /^[ -~]*$/;

/** The text after the lines; bad with the number and reason of the first line that may not be configured. */
export function applyLines(text: string, lines: readonly string[]): Result<string> {
  if (lines.length > LIMITS.configEditLines) return bad(`expected at most ${LIMITS.configEditLines} lines`);
  let blocks = parseBlocks(text);
  let context = '';
  let family = '';
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim();
    const fault = faultOfLine(raw);
    if (fault !== undefined) return bad(`line ${index + 1}: ${fault}`);
    if (line === '' || line === '!') continue;
    if (line === 'exit-address-family' || line === 'exit') {
      if (line === 'exit') context = '';
      family = '';
      continue;
    }
    if (!raw.startsWith(' ') && isContext(line)) {
      context = line;
      family = '';
      continue;
    }
    if (!raw.startsWith(' ') && isContext(removedBlock(line))) {
      context = '';
      family = '';
      const left = withoutBlock(blocks, removedBlock(line));
      if (!left.ok) return bad(`line ${index + 1}: ${left.reason}`);
      blocks = left.value;
      continue;
    }
    if (isFamily(context, line)) {
      family = line;
      continue;
    }
    const edited = family === '' ? applyLine(blocks, context, line) : applyInFamily(blocks, context, family, line);
    if (!edited.ok) return bad(`line ${index + 1}: ${edited.reason}`);
    blocks = edited.value;
  }
  return ok(formatBlocks(blocks));
}

/** A whole text in the place of the candidate: whatever differs from what runs must be in the closed set. */
export function checkPushed(running: string, pushed: string): Result<string> {
  if (Buffer.byteLength(pushed) > LIMITS.configBytes) return bad(`expected at most ${LIMITS.configBytes} bytes`);
  for (const [index, raw] of pushed.split('\n').entries()) {
    const fault = faultOfLine(raw.trimEnd());
    if (fault !== undefined) return bad(`line ${index + 1}: ${fault}`);
  }
  const text = formatBlocks(parseBlocks(pushed));
  for (const { context, line } of differenceOf(running, text)) {
    if (context === '' && isContext(line)) continue;
    const matched = matchStatement(context, line);
    if (!matched.ok) return bad(`${matched.reason}, got a change of another one`);
  }
  return ok(text);
}

function faultOfLine(line: string): string | undefined {
  if (line.length > LIMITS.configLineChars) return `expected at most ${LIMITS.configLineChars} characters`;
  if (!PRINTABLE.test(line)) return 'expected printable ASCII';
  if (isRedacted(line)) return 'expected configuration, got redacted text';
  return undefined;
}

function applyLine(blocks: readonly Block[], context: string, line: string): Result<readonly Block[]> {
  if (!line.startsWith('no ')) {
    const set = matchStatement(context, line);
    if (!set.ok) return set;
    return ok(withLine(blocks, context, line, subjectOf(set.value.statement, set.value.value)));
  }
  const words = line.slice(3);
  const named = matchWords(context, words);
  if (named !== undefined) return ok(without(blocks, context, (own) => isAbout(own, words)));
  const exact = matchStatement(context, words);
  return exact.ok ? ok(without(blocks, context, (own) => own === words)) : exact;
}

/** The head of the block that `no …` removes; of another line what is no head. */
function removedBlock(line: string): string {
  return line.startsWith('no ') ? line.slice(3) : 'none';
}

/** A block goes with all its lines, each of which may be removed by itself. An interface is the kernel's, and keeps its empty block. */
function withoutBlock(blocks: readonly Block[], head: string): Result<readonly Block[]> {
  const kept = blocks.find((block) => block.head === head)?.lines.filter((line) => !mayGo(head, line)) ?? [];
  if (kept.length > 0) return bad(`expected lines below "${head}" that may be configured, got ${kept.length} others`);
  const isInterface = head.startsWith('interface ');
  return ok(blocks.flatMap((block) => (block.head !== head ? [block] : isInterface ? [{ ...block, lines: [] }] : [])));
}

function mayGo(head: string, raw: string): boolean {
  const line = raw.trim();
  if (line === 'exit-address-family' || isFamily(head, line)) return true;
  return raw.startsWith('  ') ? matchFamilyStatement(line).ok : matchStatement(head, line).ok;
}

function isAbout(line: string, subject: string): boolean {
  return line === subject || line.startsWith(`${subject} `);
}

function withLine(blocks: readonly Block[], context: string, line: string, subject: string): readonly Block[] {
  const kept = without(blocks, context, (own) => isAbout(own, subject));
  if (context === '') return [...kept, { head: line, lines: [] }];
  const below = (block: Block) => ({ ...block, lines: [` ${line}`, ...block.lines] });
  return kept.some(({ head }) => head === context)
    ? kept.map((block) => (block.head === context ? below(block) : block))
    : [...kept, below({ head: context, lines: [] })];
}

/** One line of an address family of a block, which is opened when it is not there. */
function applyInFamily(
  blocks: readonly Block[],
  context: string,
  family: string,
  line: string,
): Result<readonly Block[]> {
  const words = line.startsWith('no ') ? line.slice(3) : line;
  const matched = matchFamilyStatement(words);
  if (!matched.ok) return matched;
  const block = blocks.find(({ head }) => head === context);
  if (block === undefined) return bad(`expected "${context}", which is not configured`);
  const start = block.lines.indexOf(` ${family}`);
  const after = start < 0 ? [] : block.lines.slice(start + 1);
  const length = after.findIndex((each) => !each.startsWith('  '));
  const inside = length < 0 ? after : after.slice(0, length);
  const kept = inside.filter((each) => each.trim() !== words);
  const wanted = words === line ? [...kept, `  ${words}`] : kept;
  if (start < 0 && words !== line) return ok(blocks);
  const lines =
    start < 0
      ? [...block.lines, ` ${family}`, ...wanted, ' exit-address-family']
      : [...block.lines.slice(0, start + 1), ...wanted, ...after.slice(inside.length)];
  return ok(blocks.map((each) => (each === block ? { ...block, lines } : each)));
}

/** Only lines that stand right below the head: those of nested address families keep their place. */
function without(blocks: readonly Block[], context: string, drop: (line: string) => boolean): readonly Block[] {
  if (context === '') return blocks.filter(({ head, lines }) => lines.length > 0 || !drop(head));
  return blocks.map((block) =>
    block.head === context
      ? { ...block, lines: block.lines.filter((line) => line.startsWith('  ') || !drop(line.trim())) }
      : block,
  );
}
