import { createRandom } from '@fds/testing';
import { reportWindow } from '../../store/channels/delivery.js';
import {
  meshProperties,
  randomScenario,
  type MeshAction,
  type MeshAdaptorPlan,
  type MeshScenario,
} from './mesh-scenario.js';

/**
 * STEADY: no adaptor states what it has seen, and no connection breaks: a hello does not contain the adaptor's position
 * when it made the events before. BREAKING: adaptors state what they have seen, and lose their connections.
 */
export type WaitingConnections = 'STEADY' | 'BREAKING';

/**
 * A mesh in which events fail, wait, and are released, dropped or superseded, while others change the same records.
 * Each value is set once.
 */
export const randomWaitingScenario = (seed: number, connections: WaitingConnections): MeshScenario => {
  const base = randomScenario(seed, { deletes: 0, upLinks: 0.2 });
  const random = createRandom(seed ^ 0x3a17);
  const breaking = connections === 'BREAKING';
  const adaptors = base.adaptors.map((plan): MeshAdaptorPlan => ({
    ...plan,
    tells: breaking ? 'SEEN' : 'NOTHING',
    // a value that a message only repeats may replace a change that waits
    writes: breaking ? 'CHANGED' : plan.writes,
    capitalises: [],
    // a scan reads a row, and reports it after it acknowledged a message for the row: only `seen` can tell that
    reports: plan.reports === 'SCAN' && !breaking ? 'CHANGES' : plan.reports,
  }));
  const lastMs = base.actions.at(-1)?.atMs ?? 0;
  let values = 0;
  const changes = base.actions.flatMap((action): MeshAction[] => {
    if (breaking && (action.kind === 'PAUSE' || action.kind === 'CUT' || action.kind === 'CRASH')) return [action];
    if (action.kind !== 'SET') return [];
    values += 1;
    const { extent, reports } = adaptors[action.adaptor] ?? {};
    // the next event of such an adaptor says everything that the garbled one said
    const mayGarble = extent === 'WHOLE' && reports === 'CHANGES';
    return [{ ...action, value: `v${values}`, kind: mayGarble && random.chance(0.08) ? 'GARBLE' : 'SET' }];
  });
  const interventions = Array.from({ length: 2 + random.below(8) }, (): MeshAction => {
    const atMs = random.below(lastMs + 300);
    if (random.chance(0.25)) return { atMs, kind: 'DROP', choice: random.below(4) };
    return {
      atMs,
      kind: 'RULES',
      requires: random.chance(0.6) ? random.pick(meshProperties) : null,
      denied: random.chance(0.4) ? random.below(adaptors.length) : null,
    };
  });
  const setBacks = Array.from({ length: 8 }, (): MeshAction => {
    const place = { adaptor: random.below(adaptors.length), id: 1 + random.below(2) };
    return { atMs: random.below(lastMs + 1_000), kind: 'SET_BACK', ...place, property: random.pick(meshProperties) };
  });
  const actions = [...changes, ...interventions, ...setBacks].toSorted((one, other) => one.atMs - other.atMs);
  return { ...base, adaptors, denials: [], actions, keptMessages: reportWindow };
};
