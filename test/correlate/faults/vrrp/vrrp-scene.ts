// Members of virtual router 5 in the ring: devices as FRR's vrrpd has them, and when their nodes saw them turn; and the LANs that they are on, whose
// networks all have the same numbers.
import { all, at, type Change } from '../../ring.ts';

export type Turn = { readonly up: boolean; readonly agoMs: number };

/** `isUp`: active. `turns`: carrier changes that the node remembers. */
export const member = (
  node: string,
  isUp: boolean,
  turns: readonly Turn[] = [],
  { address = '198.19.9.1/24', mac = '00:00:5e:00:01:05', adminUp = true, daemon = 'vrrpd' } = {},
): Change =>
  at([node], (state) => {
    const [like] = state.inventory.interfaces.filter(({ name }) => name === 'lo');
    const device = {
      ...like!,
      name: 'vrrp4-3-1',
      kind: 'other' as const,
      adminUp,
      operUp: isUp,
      mac,
      addresses: [address],
    };
    const events = turns.map(({ up, agoMs }) => ({
      kind: 'carrier' as const,
      subject: 'vrrp4-3-1',
      up,
      agoMs,
      changes: 1,
    }));
    return {
      ...state,
      inventory: { ...state.inventory, interfaces: [...state.inventory.interfaces, device] },
      daemons: [...state.daemons!, { name: daemon, alive: true }],
      history: { ...state.history!, events: [...(state.history?.events ?? []), ...events] },
    };
  });

const ORDER = ['r1', 'r2', 'r3', 'r4'];
const place = (node: string) => ORDER.indexOf(node) + 1;
export const macOn = (node: string) => `02:00:00:00:09:0${place(node)}`;

/** Each has a port `lan9` there, and the others in its neighbour table unless it is `deaf`. */
export const lan = (nodes: readonly string[], { deaf = [] as readonly string[] } = {}): Change =>
  all(
    ...nodes.map((node) =>
      at([node], (state) => {
        const [like] = state.inventory.interfaces.filter(({ name }) => name === 'eth1');
        const [mac, addresses] = [macOn(node), [`198.19.9.1${place(node)}/24`]];
        const port = { ...like!, name: 'lan9', mac, addresses };
        const others = deaf.includes(node) ? [] : nodes.filter((each) => each !== node);
        const entries = others.map((each) => entry(`198.19.9.1${place(each)}`, 'STALE', macOn(each)));
        return {
          ...state,
          inventory: { ...state.inventory, interfaces: [...state.inventory.interfaces, port] },
          neighbourTable: [...(state.neighbourTable ?? []), ...entries],
        };
      }),
    ),
  );

const entry = (address: string, state: string, mac?: string) => ({
  ...{ address, ifname: 'lan9', state },
  ...(mac === undefined ? {} : { mac }),
});

/** How a node's neighbour table has the virtual address. */
export const entryOf = (node: string, is: string, mac?: string): Change =>
  at([node], (state) => ({
    ...state,
    neighbourTable: [...(state.neighbourTable ?? []), entry('198.19.9.1', is, mac)],
  }));
