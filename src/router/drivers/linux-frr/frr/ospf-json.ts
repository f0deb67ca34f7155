// JSON of ospfd and ospf6d → typed rows of the interfaces on which OSPF runs. Pure parsers for FRR 8.4 and later; a field that is missing is left out.
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { OspfInterface } from '#model/router/control-plane.ts';
import { parseBlocks } from '../../../config/text.ts';
import { textOf } from '../kernel/ip-command.ts';
import { jsonOf, objectOf } from './daemons-json.ts';

/** Interfaces on which OSPF runs, each with its neighbours. */
export function parseOspf(interfaces: string, neighbours: string): readonly OspfInterface[] {
  const byName = neighboursByInterface(jsonOf(neighbours));
  return Object.entries(objectOf(objectOf(jsonOf(interfaces))['interfaces'])).flatMap(
    ([ifname, row]): OspfInterface[] => {
      if (!isJsonObject(row) || row['ospfEnabled'] !== true) return [];
      const [hello, dead, mtu, cost] = [row['timerMsecs'], row['timerDeadSecs'], row['mtuBytes'], row['cost']];
      const routerId = textOf(row['routerId']);
      return [
        {
          ifname,
          area: textOf(row['area']) ?? '',
          network: textOf(row['networkType']) ?? '',
          passive: row['timerPassiveIface'] === true,
          ...(typeof hello === 'number' ? { helloMs: hello } : {}),
          ...(typeof dead === 'number' ? { deadMs: dead * 1_000 } : {}),
          ...(typeof mtu === 'number' ? { mtu } : {}),
          ...(typeof cost === 'number' ? { cost } : {}),
          ...(routerId === undefined ? {} : { routerId }),
          authentication: AUTHENTICATION[textOf(row['authentication']) ?? ''] ?? 'none',
          neighbours: byName.get(ifname) ?? [],
        },
      ];
    },
  );
}

/** ospfd leaves the member out where there is no authentication. */
const AUTHENTICATION: Readonly<Record<string, OspfInterface['authentication'] & {}>> = {
  authenticationSimplePassword: 'clear',
  authenticationMessageDigest: 'md5',
};

function neighboursByInterface(value: JsonValue | undefined): ReadonlyMap<string, OspfInterface['neighbours']> {
  const found = new Map<string, OspfInterface['neighbours'][number][]>();
  const all = objectOf(objectOf(value)['neighbors'] ?? value);
  for (const [routerId, rows] of Object.entries(all)) {
    for (const row of Array.isArray(rows) ? rows : []) {
      if (!isJsonObject(row)) continue;
      const ifname = (textOf(row['ifaceName']) ?? '').split(':')[0]!;
      const state = (textOf(row['nbrState']) ?? '').split('/')[0]!;
      const entry = { routerId, address: textOf(row['ifaceAddress']) ?? '', state };
      found.set(ifname, [...(found.get(ifname) ?? []), entry]);
    }
  }
  return found;
}

/** What ospf6d says: `configuration` is its running configuration, the one place where FRR 8.4 tells a passive interface. */
export type Ospf6Texts = {
  readonly instance: string;
  readonly interfaces: string;
  readonly neighbours: string;
  readonly configuration: string;
};

/** Interfaces on which OSPFv3 runs; none where the daemon runs without an instance. Throws where an answer cannot be read. */
export function parseOspf6(texts: Ospf6Texts): readonly OspfInterface[] {
  const routerId = textOf(answerOf(texts.instance)['routerId']);
  const byName = neighbours6(answerOf(texts.neighbours));
  const configured = interfaceLines(texts.configuration);
  return Object.entries(answerOf(texts.interfaces)).flatMap(([ifname, row]): OspfInterface[] => {
    if (!isJsonObject(row) || row['attachedToArea'] !== true) return [];
    const lines = configured.get(ifname) ?? [];
    const authType = textOf(objectOf(row['authInfo'])['authType']);
    const seconds = (name: string) => (typeof row[name] === 'number' ? row[name] * 1_000 : undefined);
    const numbers = {
      cost: row['cost'],
      helloMs: seconds('timerIntervalsConfigHello'),
      deadMs: seconds('timerIntervalsConfigDead'),
      mtu: row['interfaceMtu'],
      instanceId: row['instanceId'],
    };
    return [
      {
        version: 3,
        ifname,
        area: textOf(row['areaId']) ?? '',
        network: networkTypeOf(row),
        passive: row['timerPassiveIface'] === true || lines.includes('ipv6 ospf6 passive'),
        ...Object.fromEntries(Object.entries(numbers).filter(([, value]) => typeof value === 'number')),
        ...(row['mtuMismatchDetection'] === 'disabled' ? { mtuIgnored: true } : {}),
        ...(routerId === undefined ? {} : { routerId }),
        ...(authType === undefined ? {} : { authentication: authType === 'NULL' ? 'none' : 'trailer' }),
        neighbours: byName.get(ifname) ?? [],
      },
    ];
  });
}

/** Without an instance it answers nothing, or in words. */
const NO_INSTANCE = /^(?:%?\s*OSPFv3 (?:instance not found|is not running)\.?)?$/;

/** Anything else that is no object was cut, or is an error. */
function answerOf(text: string): JsonObject {
  const value = jsonOf(text);
  if (value !== undefined && isJsonObject(value)) return value;
  if (NO_INSTANCE.test(text.trim())) return {};
  throw new ParleyError('node/unreadable', 'ospf6d answered neither JSON nor that it has no instance');
}

/** ospf6d gives the configured type only of an interface that is up, and only where it is not the default of its kind. */
function networkTypeOf(row: JsonObject): string {
  return row['status'] === 'up' ? (textOf(row['operatingAsType']) ?? textOf(row['type']) ?? '') : '';
}

/** States as RFC 2328 §10.1 writes them. */
const STATES: Readonly<Record<string, string>> = { Twoway: '2-Way', ExChange: 'Exchange' };

/** With details, keys are `<router id>%<interface>`; without, rows are in a list, and have no addresses. */
function neighbours6(all: JsonObject): ReadonlyMap<string, OspfInterface['neighbours']> {
  const states = all['neighbors'];
  const rows = Object.entries(Array.isArray(states) ? states : all).flatMap(([key, row]) => {
    if (!isJsonObject(row)) return [];
    const ifname = textOf(row['interface']) ?? textOf(row['interfaceName']);
    const state = textOf(row['neighborState']) ?? textOf(row['state']) ?? '';
    const routerId = textOf(row['neighborId']) ?? key.split('%')[0]!;
    const neighbour = { routerId, address: textOf(row['linkLocalAddress']) ?? '', state: STATES[state] ?? state };
    return ifname === undefined ? [] : [{ ifname, neighbour }];
  });
  const groups = Map.groupBy(rows, ({ ifname }) => ifname);
  return new Map([...groups].map(([ifname, each]) => [ifname, each.map(({ neighbour }) => neighbour)]));
}

/** Interface → the lines of its block, without their indentation. */
function interfaceLines(configuration: string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    parseBlocks(configuration).flatMap(({ head, lines }) => {
      const ifname = /^interface (\S+)/.exec(head)?.[1];
      return ifname === undefined ? [] : [[ifname, lines.map((line) => line.trim())] as const];
    }),
  );
}
