// What planners know in these tests: a question about everything, unless a test says otherwise.
import type { Scope } from '#measure/scope.ts';
import type { States } from '#measure/states.ts';

export function scopeOf(states: States, over: Partial<Scope> = {}): Scope {
  const nodes = [...states.keys()];
  return {
    intent: { kind: 'fault', text: 'What is wrong?', path: [], encapsulation: 'ip' },
    ...{ nodes, states, relays: new Map(), home: nodes[0] ?? 'r1', known: nodes, probeCount: 1_000 },
    ...over,
  };
}
