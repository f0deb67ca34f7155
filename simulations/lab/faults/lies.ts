// How an agent of a lab may lie; lying-agent.mts does it.
export const LIES = ['receives-less', 'sends-more', 'checksum-errors', 'flaps', 'loses-probes'] as const;
