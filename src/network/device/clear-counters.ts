// The tool `clear-counters` (TS-3): from now on this caller's view of the interface counters begins at zero. Nothing on the device
// changes and no other caller sees a difference; `restore` undoes it (TS-22).
import { ParleyError } from '#base/error.ts';
import type { ToolDefinition } from '#model/definition.ts';
import type { RouterPort } from '#model/router/router-port.ts';
import type { CounterOffsets } from './counter-offsets.ts';

export function clearCountersTool(parts: {
  readonly router: RouterPort;
  readonly offsets: CounterOffsets;
}): ToolDefinition {
  const { router, offsets } = parts;
  return {
    name: 'clear-counters',
    title: 'Clear counters',
    description: 'Starts your own view of interface counters at zero; other users see no change. restore undoes it.',
    capability: 'clear-counters',
    mutability: 'read',
    idempotent: true,
    inputSchema: {
      type: 'object',
      properties: {
        interface: { type: 'string', minLength: 1, maxLength: 64, description: 'One interface; all without it' },
        restore: { type: 'boolean', default: false, description: "Back to the device's own counts" },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { interfaces: { type: 'array', items: { type: 'string' } }, clearedAt: { type: ['string', 'null'] } },
      required: ['interfaces', 'clearedAt'],
    },
    callers: ['operator', 'controller'],
    call: async (args, { caller, signal }) => {
      if (args['restore'] === true) {
        offsets.restore(caller);
        return { interfaces: [], clearedAt: null };
      }
      const { interfaces } = await router.counters(signal);
      const wanted = interfaces.filter(({ name }) => args['interface'] === undefined || name === args['interface']);
      if (wanted.length === 0) {
        throw new ParleyError('caller/unknown-interface', 'expected an interface of this device, got another', {
          data: { path: 'interface', known: interfaces.map(({ name }) => name) },
        });
      }
      offsets.clear(caller, wanted);
      return { interfaces: wanted.map(({ name }) => name), clearedAt: offsets.clearedAt(caller) ?? null };
    },
  };
}
