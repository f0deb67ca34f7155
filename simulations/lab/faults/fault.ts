// What an entry of the catalogue of injections is: parameters in, commands out. Pure; running and undoing them is injection.ts's.
import type { z } from 'zod';

/** Commands for one place; in cables `{a}` and `{b}` are the ports towards the two ends as `cable` names them. */
export type FaultStep =
  | { readonly where: 'cable'; readonly cable: string; readonly exec: readonly string[]; readonly repaired?: boolean }
  | {
      readonly where: 'node';
      readonly node: string;
      readonly exec: readonly string[];
      readonly undo: readonly string[];
      readonly repaired?: boolean;
    }
  /** Runs beside the investigation, inside the node's network, until the run ends. */
  | { readonly where: 'beside'; readonly node: string; readonly argv: readonly string[] };

export type Fault<Parameters extends z.ZodType = z.ZodType> = {
  readonly id: string;
  readonly description: string;
  readonly parameters: Parameters;
  steps(parameters: z.infer<Parameters>): readonly FaultStep[];
};

/** Keeps the parameters' type from schema to steps. */
export function defineFault<Parameters extends z.ZodType>(fault: Fault<Parameters>): Fault {
  return { ...fault, steps: (parameters) => fault.steps(parameters as z.infer<Parameters>) };
}

/** The part of an nft rule that lets only a share of the packets match; nothing for all of them. */
export function shareOf(percent: number): string {
  return percent >= 100 ? '' : `numgen random mod 10000 < ${Math.round(percent * 100)} `;
}
