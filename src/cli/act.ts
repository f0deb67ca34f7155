// The form of every command's code, and how the command tree leads to it.

// biome-ignore lint/suspicious/noExplicitAny: commander hands over whatever the command's declaration says
export type Action = (options: any, args: readonly string[]) => Promise<number>;

/** Loads a command's code when the command is run. */
export type Act = (action: () => Promise<Action>) => (...given: unknown[]) => Promise<void>;
