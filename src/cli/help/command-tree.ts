// The command tree as data: what man pages and completions are made of. Reads commander's own description of the commands.
import type { Command, Option } from 'commander';

export type Described = {
  /** `parley report show`, as words. */
  readonly words: readonly string[];
  readonly description: string;
  readonly usage: string;
  readonly args: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly DescribedOption[];
  readonly below: readonly Described[];
};

export type DescribedOption = {
  readonly flags: string;
  readonly long: string;
  readonly description: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
};

export function describe(command: Command, before: readonly string[] = []): Described {
  const words = [...before, command.name()];
  const help = command.createHelp();
  return {
    words,
    description: command.description(),
    usage: `${words.join(' ')} ${command.usage()}`.trim(),
    args: command.registeredArguments.map((arg) => ({ name: arg.name(), description: arg.description })),
    options: help.visibleOptions(command).filter(isLong).map(optionOf),
    below: help
      .visibleCommands(command)
      .filter((each) => each.name() !== 'help')
      .map((each) => describe(each, words)),
  };
}

/** The command itself and all below it. */
export function allOf(command: Described): readonly Described[] {
  return [command, ...command.below.flatMap(allOf)];
}

function isLong(option: Option): boolean {
  return option.long !== undefined && option.long !== null;
}

function optionOf(option: Option): DescribedOption {
  const told =
    option.defaultValue === undefined || option.defaultValue === false
      ? ''
      : ` (default: ${String(option.defaultValue)})`;
  return {
    flags: option.flags,
    long: option.long!,
    description: `${option.description}${told}${option.envVar === undefined ? '' : ` (environment: ${option.envVar})`}`,
    takesValue: option.required || option.optional,
    choices: option.argChoices ?? [],
  };
}
