import type { Scenario } from './explore.ts';

const base: Scenario = {
  plan: [[{ tool: 'act', tag: 'x-HIGH-plain', risk: 'HIGH', how: 'plain' }]],
  people: [
    { by: 0, kind: 'confirm' },
    { by: 1, kind: 'cancel' },
  ],
  crashes: 0,
  zombies: 0,
  receives: 3,
  limit: 5_000_000,
};

/** One session, one ask, the timeout, and who and what may come in its way. */
export const SCENARIOS: Record<'quick' | 'whole', Record<string, Scenario>> = {
  quick: {
    'two deciders and the timeout': base,
    'one decider, the timeout, one crash': { ...base, people: base.people.slice(0, 1), crashes: 1 },
  },
  whole: {
    'two deciders, the timeout, one crash': { ...base, crashes: 1 },
    'a text and a click, the timeout': {
      ...base,
      people: [
        { by: 0, kind: 'text' },
        { by: 1, kind: 'cancel' },
      ],
    },
    'one decider, one crash, dead letters at once': {
      ...base,
      people: base.people.slice(0, 1),
      crashes: 1,
      receives: 1,
    },
    'one decider, one zombie': { ...base, people: base.people.slice(0, 1), zombies: 1 },
  },
};
