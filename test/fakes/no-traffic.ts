// Counters of an interface that nothing has crossed.
import type { InterfaceState } from '#model/router/router-port.ts';

export const NO_TRAFFIC: InterfaceState['counters'] = {
  rxPackets: '0',
  txPackets: '0',
  rxBytes: '0',
  txBytes: '0',
  rxErrors: '0',
  txErrors: '0',
  rxDropped: '0',
  txDropped: '0',
};
