// ICMP echoes: what a node is asked to send, and what came back.
import * as z from 'zod';
import { LIMITS } from '#base/limits.ts';
import { MODEL_LIMITS } from '../limits.ts';
import { integer, interfaceName, ipAddress } from '../wire/fields.ts';

export const echoRequest = z.strictObject({
  destination: ipAddress,
  count: integer(1, LIMITS.echoCount),
  source: ipAddress.exactOptional(),
  vrf: interfaceName.exactOptional(),
  intervalMs: integer(MODEL_LIMITS.echoIntervalMs, 1_000),
  payloadBytes: integer(0, LIMITS.echoPayloadBytes),
  dontFragment: z.boolean({ error: 'true or false' }),
  /** Hop limit; the system's own when absent. */
  ttl: integer(1, 255).exactOptional(),
});
