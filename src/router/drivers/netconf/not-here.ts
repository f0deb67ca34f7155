// What a NETCONF device is not asked for: refused by name, never made up.
import { ParleyError } from '#base/error.ts';
import { WIRE_CODES } from '#model/definition.ts';

/** A method that rejects with `node/not-supported`. */
export function notHere(what: string) {
  return async (): Promise<never> => {
    throw new ParleyError('node/not-supported', `expected a device with ${what}, NETCONF gives none`, {
      data: { wireCode: WIRE_CODES.configIncompatible, retryPossible: false },
    });
  };
}
