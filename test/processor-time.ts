// How much of the processor a piece of work takes: what else runs on the machine does not count, so that a bound holds on a busy one as well.

/** Milliseconds in which this thread ran. */
export function processorMsOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
