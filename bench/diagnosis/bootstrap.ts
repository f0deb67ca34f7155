// Means over cases with their 95 % intervals, by resampling cases with replacement; the same values give the same interval. Pure.
import { mulberry32 } from '../../simulations/lab/node-files.ts';
import { percentile } from '../statistics.ts';

const RESAMPLES = 10_000;
const BOOTSTRAP_SEED = 0;

export type Interval = { readonly mean: number; readonly low: number; readonly high: number; readonly cases: number };

export function bootstrap(values: readonly number[]): Interval | null {
  if (values.length === 0) return null;
  const random = mulberry32(BOOTSTRAP_SEED);
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let draw = 0; draw < values.length; draw++) sum += values[Math.floor(random() * values.length)]!;
    return sum / values.length;
  });
  return {
    mean: thousandths(mean(values)),
    low: thousandths(percentile(means, 0.025)),
    high: thousandths(percentile(means, 0.975)),
    cases: values.length,
  };
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function thousandths(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
