// What operators said of the network (docs/operations/expectations.md), as a node keeps it, adds it to its state and judges it: what must
// hold, which deviations are meant, and which windows are for maintenance. The text that operators write is read in config/expectations.ts.
import * as z from 'zod';
import { isIpAddress, parsePrefix } from '#base/ip.ts';
import { LIMITS } from '#base/limits.ts';
import { someRows, type Wire } from '../wire/fields.ts';

/** `r1:eth1--r2:eth1`. */
export const LINK = /^[^:\s]+:[^:\s]+--[^:\s]+:[^:\s]+$/;
const words = z.string().min(1).max(LIMITS.expectationChars);
/** RFC 3339 in UTC with milliseconds. */
const time = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
/** Who said it, and why. */
const said = { reason: words, owner: words };

type Expected = { readonly what: string; readonly subject: string; readonly at?: string | undefined };

/** What a peer says is looked up and probed: nothing of another form may come that far. */
function isExpectable({ what, subject, at = '' }: Expected): boolean {
  switch (what) {
    case 'link':
      return LINK.test(subject);
    case 'session':
      return isIpAddress(subject);
    case 'route':
      return subject.includes('/') && parsePrefix(subject) !== undefined;
    default:
      return /^(?:tcp|udp)\/\d{1,5}$/.test(subject) && isIpAddress(at);
  }
}

/** Must hold: its absence is a fault. */
const expectLine = z
  .object({
    kind: z.literal('expect'),
    what: z.enum(['link', 'session', 'route', 'service']),
    /** `r1:eth1--r2:eth1` of a link, the peer's address of a session, the prefix of a route, `tcp/80` of a service. */
    subject: words,
    /** The node of a session or route, the address of a service; absent for a link. */
    at: words.exactOptional(),
    reason: words.exactOptional(),
    owner: words.exactOptional(),
  })
  .refine(isExpectable);

/** A deviation that is meant, until a time. */
const allowLine = z.object({
  kind: z.literal('allow'),
  /** A fault's id, or `*`. */
  fault: words,
  /** A resource id in which `*` stands for any text: `link/r1:*--r3:*`. */
  resource: words,
  until: time,
  ...said,
});

/** A window in which nothing at these nodes and links is a fault. */
const maintenanceLine = z.object({
  kind: z.literal('maintenance'),
  from: time,
  until: time,
  nodes: z.array(words).max(LIMITS.expectationPlaces),
  /** `r1:eth1--r2:eth1`. */
  links: z.array(words).max(LIMITS.expectationPlaces),
  ...said,
});

export const expectationLine = z.discriminatedUnion('kind', [expectLine, allowLine, maintenanceLine]);
export const expectationLines = someRows(expectationLine, LIMITS.expectationLines);

export type ExpectLine = Wire<typeof expectLine>;
export type AllowLine = Wire<typeof allowLine>;
export type MaintenanceLine = Wire<typeof maintenanceLine>;
export type ExpectationLine = Wire<typeof expectationLine>;
