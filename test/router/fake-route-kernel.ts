// A kernel's routing table behind rtnetlink, as far as dumps of it go, with the two ways in which Linux finds its place again between
// two datagrams (net/ipv4/fib_trie.c, net/ipv6/ip6_fib.c): IPv4 by address and by the number of routes passed of that
// address, IPv6 by the number of routes passed in all once the table has changed. Both pass over routes when some before go.
import { compareRoutes, keyOf, type RouteKey } from '#router/drivers/linux-frr/routing-table/route-order.ts';
import type { Libc } from '#router/native/libc.ts';
import type { NetlinkSocket } from '#router/native/netlink-socket.ts';

export type FakeKernel = {
  readonly libc: Libc;
  add(prefix: string, metric?: number): void;
  remove(prefix: string, metric?: number): void;
  /** Changes are no longer announced one by one: the next look learns that some were lost. */
  loseNews(): void;
  /** Begun dumps. */
  readonly dumps: number;
};

type Family = 'ipv4' | 'ipv6';

/** A dump's datagrams have `perDatagram` routes; each is made while the one before is read, as the kernel does. */
export function createFakeKernel(family: Family, perDatagram: number, onReceive: () => void): FakeKernel {
  let table: RouteKey[] = [];
  let changes = 0;
  let dumps = 0;
  const watchers = new Set<{ news: (Buffer | 'lost')[] }>();
  const announce = (type: number, key: RouteKey) => {
    changes++;
    for (const watcher of watchers) watcher.news.push(routeMessage(family, type, key));
  };
  const openWatch = (): NetlinkSocket => {
    const watcher = { news: [] as (Buffer | 'lost')[] };
    watchers.add(watcher);
    return {
      send: () => true,
      receive(into) {
        const next = watcher.news.shift();
        if (next === undefined) return 'none';
        return next === 'lost' ? 'lost' : next.copy(into);
      },
      close: () => void watchers.delete(watcher),
    };
  };
  const openDump = (): NetlinkSocket => {
    let queued: Buffer | undefined;
    let passed = 0;
    let seenChanges = 0;
    let walk = 0;
    let [address, ofAddress] = ['', 0];
    const resume = () => {
      if (family === 'ipv6') {
        if (seenChanges !== changes) walk = passed;
        seenChanges = changes;
        return;
      }
      walk = table.findIndex((key) => hex(key) >= address);
      if (walk < 0) walk = table.length;
      for (let left = ofAddress; left > 0 && walk < table.length && hex(table[walk]!) === address; left--) walk++;
    };
    const make = (): Buffer => {
      resume();
      const routes = table.slice(walk, walk + perDatagram);
      for (const key of routes) [address, ofAddress] = [hex(key), hex(key) === address ? ofAddress + 1 : 1];
      walk += routes.length;
      passed += routes.length;
      if (routes.length === 0) return endMessage();
      return Buffer.concat(routes.map((key) => routeMessage(family, 24, key)));
    };
    return {
      send(request) {
        if (request[4] === 26) {
          dumps++;
          seenChanges = changes;
          queued = make();
        } else queued = endMessage();
        return true;
      },
      receive(into) {
        onReceive();
        if (queued === undefined) return 'none';
        const bytes = queued.copy(into);
        queued = queued.readUInt16LE(4) === 3 ? undefined : make();
        return bytes;
      },
      close() {},
    };
  };
  const openNetlink = (groups: number) => (groups === 0 ? openDump() : openWatch());
  return {
    libc: { openNetlink } as unknown as Libc,
    add(prefix, metric = 0) {
      const key = keyOf(prefix, metric)!;
      if (table.some((entry) => compareRoutes(family, entry, key) === 0)) return;
      table = [...table, key].sort((one, other) => compareRoutes(family, one, other));
      announce(24, key);
    },
    remove(prefix, metric = 0) {
      const key = keyOf(prefix, metric)!;
      const index = table.findIndex((entry) => compareRoutes(family, entry, key) === 0);
      if (index < 0) return;
      table = table.toSpliced(index, 1);
      announce(25, key);
    },
    loseNews() {
      for (const watcher of watchers) watcher.news = ['lost'];
    },
    get dumps() {
      return dumps;
    },
  };
}

function hex(key: RouteKey): string {
  return Buffer.from(key.bytes).toString('hex');
}

/** RTM_NEWROUTE (24) or RTM_DELROUTE (25) of the main table, with RTA_DST and RTA_PRIORITY. */
export function routeMessage(family: Family, type: number, key: RouteKey, more: readonly Buffer[] = []): Buffer {
  const head = Buffer.alloc(28);
  head.writeUInt16LE(type, 4);
  head.set([family === 'ipv4' ? 2 : 10, key.length, 0, 0, 254, 4, 0, 1], 16);
  const metric = Buffer.alloc(4);
  metric.writeUInt32LE(key.metric);
  const message = Buffer.concat([head, attribute(1, key.bytes), attribute(6, metric), ...more]);
  message.writeUInt32LE(message.length, 0);
  return message;
}

export function attribute(type: number, value: Uint8Array): Buffer {
  const bytes = Buffer.alloc(4 + ((value.length + 3) & ~3));
  bytes.writeUInt16LE(4 + value.length, 0);
  bytes.writeUInt16LE(type, 2);
  bytes.set(value, 4);
  return bytes;
}

function endMessage(): Buffer {
  const message = Buffer.alloc(20);
  message.writeUInt32LE(20, 0);
  message.writeUInt16LE(3, 4);
  return message;
}
