// When rules of a packet filter last dropped anything, as their node remembers it: what meets a rule seldom, a hello every ten seconds
// or a session that is tried every two minutes, need not pass while a question is answered.
import * as z from 'zod';
import { count, text, type Wire } from '../wire/fields.ts';

export type FilterDrop = Wire<typeof filterDrop>;
export const filterDrop = z.object({
  family: text,
  table: text,
  chain: text,
  handle: count,
  /** How long ago its counter was seen to have moved. */
  agoMs: count,
});
