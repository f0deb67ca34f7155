// Which routing tables have no IPv6 route, over rtnetlink: a SID that looks up in such a table drops every packet. Of a table only the first
// datagram is read, however large it is. Starts no program and needs no privilege.
import type { Sid } from '#model/router/router-port.ts';
import { type Libc, loadLibc, usable } from '../../../native/libc.ts';
import { DRIVER_LIMITS } from '../../limits.ts';

/** linux/rtnetlink.h. */
const RTM_NEWROUTE = 24;
const RTM_GETROUTE = 26;
const NLMSG_DONE = 3;
const NLMSG_ERROR = 2;
const NLM_F_REQUEST_DUMP = 0x301;
const AF_INET6 = 10;
const NLMSG_BYTES = 16;
const RTMSG_BYTES = 12;
const RTA_TABLE = 15;
const ENOENT = 2;

/** SIDs that look up in a table without a route are marked; those whose table has only a name that cannot be told are left as they are. */
export async function markEmptyTables(sids: readonly Sid[]): Promise<readonly Sid[]> {
  const numbers = new Set(sids.flatMap(({ table = '' }) => (/^\d+$/.test(table) ? [Number(table)] : [])));
  if (numbers.size === 0) return sids;
  const libc = await loadLibc();
  const empty = new Set([...numbers].slice(0, DRIVER_LIMITS.sidTables).filter((number) => isEmpty(libc, number)));
  return sids.map((sid) => (empty.has(Number(sid.table ?? -1)) ? { ...sid, emptyTable: true as const } : sid));
}

/** False where the kernel does not tell. */
function isEmpty(libc: Pick<Libc, 'openNetlink'>, table: number): boolean {
  const socket = usable(libc.openNetlink(0));
  if (socket === undefined) return false;
  try {
    const into = Buffer.allocUnsafe(DRIVER_LIMITS.netlinkBytes);
    if (!socket.send(tableDumpRequest(table))) return false;
    const bytes = socket.receive(into);
    return typeof bytes === 'number' && saysEmpty(into.subarray(0, bytes));
  } finally {
    socket.close();
  }
}

function tableDumpRequest(table: number): Buffer {
  const request = Buffer.alloc(NLMSG_BYTES + RTMSG_BYTES + 8);
  request.writeUInt32LE(request.length, 0);
  request.writeUInt16LE(RTM_GETROUTE, 4);
  request.writeUInt16LE(NLM_F_REQUEST_DUMP, 6);
  request.writeUInt32LE(1, 8);
  request[NLMSG_BYTES] = AF_INET6;
  request.writeUInt16LE(8, NLMSG_BYTES + RTMSG_BYTES);
  request.writeUInt16LE(RTA_TABLE, NLMSG_BYTES + RTMSG_BYTES + 2);
  request.writeUInt32LE(table, NLMSG_BYTES + RTMSG_BYTES + 4);
  return request;
}

/** Of the first datagram of a dump of one table: it ends at once, or the kernel has no such table. */
export function saysEmpty(datagram: Buffer): boolean {
  if (datagram.length < NLMSG_BYTES) return false;
  const type = datagram.readUInt16LE(4);
  if (type === RTM_NEWROUTE) return false;
  const errno = datagram.length >= NLMSG_BYTES + 4 ? -datagram.readInt32LE(NLMSG_BYTES) : 0;
  return type === NLMSG_DONE ? errno === 0 || errno === ENOENT : type === NLMSG_ERROR && errno === ENOENT;
}
