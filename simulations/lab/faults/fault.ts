// What an entry of the catalogue of injections is: parameters in, commands, truth and symptoms out. Pure; running, checking and undoing
// them is injection.ts's. What is injected carries no name that would tell an agent what it is looking for.

import { z } from 'zod';
import type { FaultId } from '#correlate/faults/registry.ts';
import type { Network } from '../../generate/network.ts';
import type { LabRecord } from '../registry.ts';
import type { Pair } from '../scoring.ts';

/** Commands for one place; in cables `{a}` and `{b}` are the ports towards the two ends as `cable` names them. */
export type FaultStep =
  | { readonly where: 'cable'; readonly cable: string; readonly exec: readonly string[]; readonly repaired?: boolean }
  | {
      readonly where: 'node';
      readonly node: string;
      readonly exec: readonly string[];
      readonly undo: readonly string[];
      readonly repaired?: boolean;
      /** It changes learned routes, which snapshots leave out: its symptom alone shows that it landed. */
      readonly learned?: true;
    }
  /** On this machine, for what crosses namespaces; `{ns:NODE}` and `{cable:A--B}` stand for namespaces. Changes `node`. */
  | {
      readonly where: 'machine';
      readonly node: string;
      readonly exec: readonly string[];
      readonly undo: readonly string[];
      /** It changes nothing that a node is set to. */
      readonly learned?: true;
    }
  /** Runs beside the investigation, inside the node's network, until the run ends. */
  | { readonly where: 'beside'; readonly node: string; readonly argv: readonly string[] }
  /** The same inside a cable. */
  | { readonly where: 'beside-cable'; readonly cable: string; readonly argv: readonly string[] };

/**
 * A command that succeeds once the fault shows: inside a node, in a node's network only, or in a cable. With `rises` it prints a
 * number, which shows the fault once it is greater by so much than before the injection.
 */
export type Symptom =
  | { readonly where: 'node' | 'network'; readonly node: string; readonly script: string; readonly rises?: number }
  | { readonly where: 'cable'; readonly cable: string; readonly script: string };

/** Where NetOpsBench says a fault is. */
export type Location = { readonly device: string; readonly interface?: string };

export type Truth = {
  /** Fault ids and resources as findings name them; NIKA's pairs after renaming (labels.ts). */
  readonly pairs: readonly Pair[];
  /** The first is the place itself, the others count as well; empty where NetOpsBench has no such fault: one at both ends is none. */
  readonly locations: readonly Location[];
};

/** What a fault may need to know of its lab beyond its parameters. */
export type LabShape = Pick<LabRecord, 'cables' | 'nodes'>;

export type Fault<Parameters extends z.ZodType = z.ZodType> = {
  readonly id: string;
  readonly description: string;
  readonly parameters: Parameters;
  steps(parameters: z.infer<Parameters>, lab: LabShape): readonly FaultStep[];
  /** Nothing: no fault, only circumstances. */
  truth?(parameters: z.infer<Parameters>, lab: LabShape): Truth;
  /** Each must come true after the injection, or it did not land. */
  symptoms?(parameters: z.infer<Parameters>, lab: LabShape): readonly Symptom[];
  /** Parameters for a random place of a network; nothing where the network has no such place. */
  place?(network: Network, random: Random): z.input<Parameters> | undefined;
};

/** Keeps the parameters' type from schema to steps. */
export function defineFault<Parameters extends z.ZodType>(fault: Fault<Parameters>): Fault {
  return fault as unknown as Fault;
}

/** A seeded source of choices. */
export type Random = {
  /** From 0 up to 1. */
  next(): number;
  pick<T>(values: readonly T[]): T;
};

export const nodeName = z.string().min(1);
export const ifname = z.string().regex(/^eth\d+$/, 'expected ethN');
export const linkEnd = z.string().regex(/^[^\s:]+:eth\d+$/, 'expected <node>:ethN');
export const cableName = z.string().regex(/^[^\s:]+:\S+--[^\s:]+:\S+$/, 'expected <node>:<if>--<node>:<if>');
/** IPv4 or IPv6, without a length. */
export const address = z.string().regex(/^[0-9a-f.:]+$/i, 'expected an address');
export const prefix = z.string().regex(/^[0-9a-f.:]+\/\d{1,3}$/i, 'expected a prefix');
export const asNumber = z.int().min(1).max(4_294_967_295);

/** The part of an nft rule that lets only a share of the packets match; nothing for all of them. */
export function shareOf(percent: number): string {
  return percent >= 100 ? '' : `numgen random mod 10000 < ${Math.round(percent * 100)} `;
}

/** One vtysh call that enters configuration lines. */
export function configure(...lines: readonly string[]): string {
  return ['vtysh', ...['configure terminal', ...lines].map((line) => `-c '${line}'`)].join(' ');
}

export const nodeId = (node: string): string => `node/${node}`;

/** `r1:eth1` as a resource. */
export const interfaceId = (end: string): string => `interface/${end.replace(':', '/')}`;

/** A cable as a resource: its two ends sorted. */
export const linkId = (cable: string): string => `link/${cable.split('--').sort().join('--')}`;

export function locationOf(end: string): Location {
  const [device = '', port = ''] = end.split(':');
  return { device, interface: port };
}

/** An end of a cable has lost its carrier, or is gone. */
export const noCarrier = (end: string): Symptom => {
  const { device, interface: port } = locationOf(end);
  return {
    where: 'network',
    node: device,
    script: `[ "$(cat /sys/class/net/${port}/carrier 2> /dev/null)" != 1 ]`,
  };
};

export const mtuShows = (end: string, value: number): Symptom => {
  const { device, interface: port } = locationOf(end);
  return { where: 'network', node: device, script: `[ "$(cat /sys/class/net/${port}/mtu)" = ${value} ]` };
};

export function otherEnd(cable: string, end: string): string {
  return cable.split('--').find((entry) => entry !== end) ?? end;
}

/** `{a}` or `{b}`: the cable's port towards `end`. */
export const portTowards = (cable: string, end: string): string => (cable.startsWith(`${end}--`) ? '{a}' : '{b}');

export const truthAtNode = (fault: FaultId, node: string): Truth => ({
  pairs: [{ resource: nodeId(node), fault }],
  locations: [{ device: node }],
});

export const truthAtInterface = (fault: FaultId, end: string): Truth => ({
  pairs: [{ resource: interfaceId(end), fault }],
  locations: [locationOf(end)],
});

/** Either end counts as the right place. */
export const truthAtLink = (fault: FaultId, cable: string): Truth => ({
  pairs: [{ resource: linkId(cable), fault }],
  locations: cable.split('--').map(locationOf),
});
