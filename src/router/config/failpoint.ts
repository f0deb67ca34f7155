// The named points of a configuration change at which a test may end the process. Product code passes the hook that does
// nothing: a name alone has no effect, and no environment variable or option reaches this.
import { DURABLE_STEPS, type DurableStep } from '#base/files.ts';

/** Files that are written durably, in the order of a change. */
const DURABLE_FILES = [
  'before',
  'after',
  'prepared',
  'applied',
  'verified',
  'confirmed',
  'startup',
  'undoing',
  'rolled-back',
  'settled',
] as const;

export type DurableFile = (typeof DURABLE_FILES)[number];

const STEPS = [
  'lock.wanted',
  'lock.held',
  'snapshot.read',
  'validate.syntax',
  'validate.trial',
  'watch.wanted',
  'watch.armed',
  'live.applied',
  'apply.staged',
  'apply.started',
  'apply.first-line',
  'apply.second-line',
  'apply.ended',
  'apply.read-back',
  'commit.answered',
  'confirm.wanted',
  'confirm.answered',
  'rollback.wanted',
  'rollback.started',
  'rollback.first-line',
  'rollback.ended',
  'rollback.read-back',
  'live.undone',
  'settle.removed',
] as const;

export type FailpointName = (typeof STEPS)[number] | `${DurableFile}.${DurableStep}`;

export const FAILPOINT_NAMES: readonly FailpointName[] = [
  ...STEPS,
  ...DURABLE_FILES.flatMap((file) => DURABLE_STEPS.map((step) => `${file}.${step}` as const)),
];

/** Called at each point; a test's own may never return. */
export type Failpoint = (name: FailpointName) => Promise<void> | void;

export const noFailpoint: Failpoint = () => {};
