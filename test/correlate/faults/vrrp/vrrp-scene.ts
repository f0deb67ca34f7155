// Members of virtual router 5 in the ring: devices as FRR's vrrpd has them, and when their nodes saw them turn.
import { at, type Change } from '../../ring.ts';

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
