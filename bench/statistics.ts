// Medians and percentiles of measured values.

/** The value below which `fraction` of the sorted values lie (nearest rank); NaN of nothing. */
export function percentile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(fraction * sorted.length) - 1))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** p50, p99 and count, rounded to a tenth. */
export function summary(values: readonly number[]): {
  readonly p50: number;
  readonly p99: number;
  readonly count: number;
} {
  return { p50: tenths(median(values)), p99: tenths(percentile(values, 0.99)), count: values.length };
}

export function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
