// DevicePort: what one device offers to operators beside RouterPort (MCP-NET): show commands, YANG data of its own modules,
// route tables page by page, load, log and configuration text. Reads only; nothing here changes the device.
import type { JsonObject, JsonValue } from '#base/json.ts';
import type { Wire } from '../wire/fields.ts';
import type { echoRequest } from './device-schema.ts';

/** True of the device behind the agent, found out when it is asked (NET-1). */
export type DeviceFacts = {
  readonly cliDialect: string;
  /** Modules that the device itself answers for, beside those that Parley maps. */
  readonly nativeModules: readonly NativeModule[];
  /** Protocols whose daemon answers: `bgp`, `isis`. */
  readonly protocols: readonly string[];
  /** The device answers for all of its modules itself; Parley maps none onto it. */
  readonly onlyNative?: true;
  /** RFC 3339; counters run since then. Absent where the device does not tell. */
  readonly bootTime?: string;
  /** Streams that can be turned into notifications. */
  readonly notificationStreams: readonly string[];
  /** The command set, each with its places in capitals: `show ip route PREFIX json`. */
  readonly commands: readonly string[];
};

export type NativeModule = {
  readonly module: string;
  readonly namespace: string;
  readonly revision: string;
  readonly datastores: readonly YangDatastore[];
};

export type YangDatastore = 'running' | 'operational' | 'candidate' | 'startup';

export type AddressFamily = 'ipv4' | 'ipv6';

/** One entry of the forwarding table as the kernel has it. */
export type RouteEntry = {
  readonly prefix: string;
  readonly kind: string;
  readonly protocol: string;
  readonly metric: number | undefined;
  readonly nextHops: readonly { readonly gateway?: string; readonly ifname?: string; readonly weight?: number }[];
};

/** One page of a table: routes come a few at a time, and need not be kept. */
export type RouteRequest = {
  readonly family: AddressFamily;
  /** What the page before ended with. */
  readonly cursor: string | undefined;
  /** Routes at most; fewer where they have many next hops. */
  readonly most: number;
  each(routes: readonly RouteEntry[]): void;
};

export type Load = { readonly percent: number; readonly perCpu: readonly number[]; readonly windowMs: number };

export type Memory = {
  readonly totalBytes: number;
  readonly availableBytes: number;
  readonly swapTotalBytes: number;
  readonly swapFreeBytes: number;
};

export type EchoRequest = Wire<typeof echoRequest>;

export type EchoReply = {
  readonly sequence: number;
  /** Who answered: the destination, or the router that says why not. */
  readonly from: string;
  readonly outcome: 'reply' | 'ttl-exceeded' | 'unreachable' | 'too-big';
  readonly rttMs?: number;
  /** The next link's MTU, when a packet was too big. */
  readonly mtu?: number;
};

/** `stdout` is the text that the tool ping prints, for those who asked for it by a command. */
export type EchoResult = { readonly sent: number; readonly replies: readonly EchoReply[]; readonly stdout: string };

/** `unreadable`: a folder that is there and may hold more. */
export type CrashFile = {
  readonly file: string;
  readonly bytes: number;
  readonly modified: string;
  readonly unreadable?: boolean;
  /** No crash, but a folder that may hold some and cannot be read. */
  readonly folder?: true;
  /** The beginning of a crash log, without secrets. */
  readonly text?: string;
};

/** A device without a CLI, or without YANG, has no such member (NET-3). */
export type DevicePort = {
  facts(signal?: AbortSignal): Promise<DeviceFacts>;
  /** Output of one show command. Rejects with `caller/unknown-command`, whose data lists the known forms. */
  readonly show?: (command: string, signal?: AbortSignal) => Promise<string>;
  /**
   * RFC 7951 JSON of one native module: `{ "<module>:<node>": … }`. At least what `path` names, where the device can select;
   * secrets included.
   */
  readonly native?: (
    module: string,
    datastore: YangDatastore,
    signal?: AbortSignal,
    path?: string,
  ) => Promise<JsonObject>;
  /** A page of the main table; resolves to the cursor of the next, undefined at the end. */
  routes(request: RouteRequest, signal?: AbortSignal): Promise<string | undefined>;
  load(): Promise<Load>;
  memory(): Promise<Memory>;
  /** The last lines of the node's own log, oldest first. */
  log(count: number, signal?: AbortSignal): Promise<readonly string[]>;
  /** Calls back with new lines; returns the way to stop. */
  watchLog(lines: (added: readonly string[]) => void): () => void;
  /** Text as the device has it, secrets included: the code that shows it redacts. */
  configuration(which: 'running' | 'startup', signal?: AbortSignal): Promise<string>;
  /** Crash reports that daemons left, newest first. */
  crashes(signal?: AbortSignal): Promise<readonly CrashFile[]>;
  /** ICMP echo requests, one after another. */
  echo(request: EchoRequest, each: (reply: EchoReply) => void, signal?: AbortSignal): Promise<EchoResult>;
  /** BGP neighbours as the daemon shows them; undefined without BGP. */
  bgpNeighbours(signal?: AbortSignal): Promise<JsonValue | undefined>;
  close(): Promise<void>;
};
