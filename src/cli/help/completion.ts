// Completion of the command line for bash, zsh and fish: commands, their options, and words that an option may have. Made from the command tree,
// so that it never names what is not there. It starts no agent and asks none.
import { allOf, type Described, type DescribedOption } from './command-tree.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export function completionFor(shell: Shell, root: Described): string {
  return { bash, zsh, fish }[shell](root);
}

/** `report show` for `parley report show`. */
function keyOf({ words }: Described): string {
  return words.slice(1).join(' ');
}

/** After an option of these a file is completed. */
function isFile({ flags }: DescribedOption): boolean {
  return /<(?:file|dir|path)(?:\.\.\.)?>/.test(flags);
}

function wordsAfter({ below, options }: Described): string {
  return [...below.map(({ words }) => words.at(-1)!), ...options.map(({ long }) => long), '--help'].join(' ');
}

function bash(root: Described): string {
  const all = allOf(root);
  const known = all.filter(({ words }) => words.length > 1).map((each) => `"${keyOf(each)}"`);
  const replies = all.map((each) => `    "${keyOf(each)}") words="${wordsAfter(each)}" ;;`);
  const values = choiceRows(all).map(
    ([key, { long, choices }]) => `    "${key} ${long}") words="${choices.join(' ')}" ;;`,
  );
  const files = [...new Set(all.flatMap(({ options }) => options.filter(isFile).map(({ long }) => long)))].join('|');
  return `# bash completion of parley
_parley() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" path="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case " ${known.map((each) => each.replaceAll('"', '')).join(' | ')} " in
      *" \${path:+$path }$word "*) path="\${path:+$path }$word" ;;
    esac
  done
  case "$prev" in
    ${files}) COMPREPLY=($(compgen -f -- "$cur")); return ;;
  esac
  case "$path $prev" in
${values.join('\n')}
  esac
  if [ -z "$words" ]; then
    case "$path" in
${replies.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$cur"))
}
complete -F _parley parley
`;
}

function zsh(root: Described): string {
  const functions = allOf(root).map((each) => {
    const options = each.options.map((option) => `    '${optionSpec(option)}'`);
    if (each.below.length === 0)
      return `${nameOf(each)}() {\n  _arguments \\\n${[...options, "    '*:argument:_files'"].join(' \\\n')}\n}`;
    const commands = each.below.map(
      ({ words, description }) => `    '${quoted(`${words.at(-1)}:${first(description)}`)}'`,
    );
    const cases = each.below.map((below) => `      ${below.words.at(-1)}) ${nameOf(below)} ;;`);
    const specs = [...options, "    '1:command:->command'", "    '*::argument:->rest'"].join(' \\\n');
    return `${nameOf(each)}() {
  local state line
  local -a commands
  commands=(
${commands.join('\n')}
  )
  _arguments -C \\
${specs}
  case $state in
    command) _describe 'command' commands ;;
    rest) case $line[1] in
${cases.join('\n')}
    esac ;;
  esac
}`;
  });
  return `#compdef parley\n# zsh completion of parley\n${functions.join('\n')}\n${nameOf(root)} "$@"\n`;
}

function nameOf({ words }: Described): string {
  return `_${words.join('_').replaceAll('-', '_')}`;
}

function optionSpec(option: DescribedOption): string {
  const value =
    option.choices.length > 0 ? `:value:(${option.choices.join(' ')})` : isFile(option) ? ':file:_files' : ':value:';
  return quoted(
    `${option.long}[${first(option.description).replaceAll(/[[\]]/g, '')}]${option.takesValue ? value : ''}`,
  );
}

function fish(root: Described): string {
  const lines = allOf(root).flatMap((each) => {
    const path = each.words.slice(1);
    const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`);
    const names = each.below.map(({ words }) => words.at(-1)!);
    const none = names.length === 0 ? [] : [`not __fish_seen_subcommand_from ${names.join(' ')}`];
    const when = [...seen, ...none].join('; and ') || 'true';
    return [
      ...each.below.map(
        ({ words, description }) =>
          `complete -c parley -f -n '${when}' -a ${words.at(-1)} -d '${quoted(first(description))}'`,
      ),
      ...each.options.map((option) => {
        const value =
          option.choices.length > 0 ? ` -x -a '${option.choices.join(' ')}'` : option.takesValue ? ' -r' : '';
        return `complete -c parley -n '${when}' -l ${option.long.slice(2)}${value} -d '${quoted(first(option.description))}'`;
      }),
    ];
  });
  return `# fish completion of parley\n${lines.join('\n')}\n`;
}

function choiceRows(all: readonly Described[]): readonly (readonly [string, DescribedOption])[] {
  return all.flatMap((each) =>
    each.options.filter(({ choices }) => choices.length > 0).map((option) => [keyOf(each), option] as const),
  );
}

/** Up to the first stop: a line of a menu. */
function first(text: string): string {
  return text.split(/[;:]/)[0]!.trim();
}

/** For single quotes; zsh takes a colon as the end of a name. */
function quoted(text: string): string {
  return text.replaceAll("'", '’');
}
