// Words that order something to be done. A question never does anything: the answer says so, and which command does.
import type { Meaning, OrderKind } from './meaning.ts';

const WORDS: readonly (readonly [OrderKind, string])[] = [
  [
    'configure',
    'do something, do something about, shut, shut down, shutdown, no shut, enable, disable, set, unset, add, remove, delete, block, unblock, allow, permit, deny, turn off, turn on, switch off, switch on, activate, deactivate, configure, reconfigure, change, modify, edit, increase, decrease, raise, lower, adjust, install, replace, assign, create, drop all, filter out, move, redirect, reroute, shift, drain, undrain, bounce, toggle, flap it, bring, bring up, bring down, make, make shutdown of, announce, withdraw, advertise, apply, commit, push, write, save, rename, prefer, announce, put, take down, take out, cut, isolate, prepend, limit, police, shape, mirror',
  ],
  [
    'remedy',
    'fix, repair, mend, heal, solve, resolve it, correct, undo, roll back, rollback, revert, restore, recover, remediate, get rid of',
  ],
  [
    'router',
    'reboot, restart, reload, reset, clear, kill, upgrade, downgrade, update, patch, power off, power cycle, power-cycle, halt, stop it, start it, flush, wipe, erase, format, factory reset, crash it',
  ],
];

export const ORDERS: readonly (readonly [Meaning, string])[] = WORDS.map(([command, phrases]) => [
  { kind: 'order', command },
  phrases,
]);
