// Hears when a route that was set by hand, that throws packets away, or that is a default route comes or goes in the kernel: a whole state names
// those, and no others. The kernel itself passes over all other routes, so that a full table that converges does not wake this process; what is
// heard waits in a buffer of the kernel until it is read, and only that there was something is kept. Asks nothing and needs no privilege.

import {
  accept,
  assemble,
  type BpfProgram,
  DROP,
  ifAtLeast,
  ifEqual,
  ifGreater,
  label,
  loadByte,
} from '../../../native/bpf.ts';
import type { Libc } from '../../../native/libc.ts';
import { DRIVER_LIMITS } from '../../limits.ts';

export type RouteWatch = {
  /** True when such a route changed since the last look, or too much was said to know. */
  changed(): boolean;
  close(): void;
};

/** RTMGRP_IPV4_ROUTE and RTMGRP_IPV6_ROUTE. */
const GROUPS = 0x40 | 0x400;
/** Where `struct nlmsghdr` and `struct rtmsg` end, more of which is not read here, and prefix length, protocol and type of a route within. */
const HEAD_BYTES = 28;
const LENGTH_AT = 17;
const PROTOCOL_AT = 21;
const TYPE_AT = 23;
/** linux/rtnetlink.h; 196 is FRR's staticd. */
const BOOT = 3;
const STATIC = 4;
const STATICD = 196;
const BLACKHOLE = 6;
const PROHIBIT = 8;

/** The kernel cuts a message to what a filter returns, and gives the same cut message to every later listener, zebra among them. */
const WHOLE = 0xffff_ffff;

/** Over one rtnetlink message: a default route, those protocols, or a type from blackhole to prohibit; whole or not at all. */
export const NAMED_ROUTES: BpfProgram = assemble([
  loadByte(LENGTH_AT),
  ifEqual(0, { yes: 'keep' }),
  loadByte(PROTOCOL_AT),
  ifEqual(BOOT, { yes: 'keep' }),
  ifEqual(STATIC, { yes: 'keep' }),
  ifEqual(STATICD, { yes: 'keep' }),
  loadByte(TYPE_AT),
  ifAtLeast(BLACKHOLE, { no: 'drop' }),
  ifGreater(PROHIBIT, { no: 'keep' }),
  label('drop'),
  DROP,
  label('keep'),
  accept(WHOLE),
]);

/** Hears nothing where the kernel refuses, or before its library is there: looks are then taken at their time, as without it. */
export function startRouteWatch(libc: Promise<Pick<Libc, 'openNetlink'>>): RouteWatch {
  const into = Buffer.allocUnsafe(HEAD_BYTES);
  let socket: Extract<ReturnType<Libc['openNetlink']>, { receive: unknown }> | undefined;
  let isClosed = false;
  libc
    .then(({ openNetlink }) => {
      if (isClosed) return;
      const opened = openNetlink(GROUPS, NAMED_ROUTES);
      if ('receive' in opened) socket = opened;
    })
    .catch(() => {});
  return {
    changed() {
      let heard = 0;
      while (heard < DRIVER_LIMITS.netlinkChanges && socket !== undefined && socket.receive(into) !== 'none')
        heard += 1;
      return heard > 0;
    },
    close() {
      isClosed = true;
      socket?.close();
      socket = undefined;
    },
  };
}
