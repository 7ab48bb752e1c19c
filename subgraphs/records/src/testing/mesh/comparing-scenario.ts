import { reportWindow } from '../../store/channels/delivery.js';
import { randomScenario, type MeshAction, type MeshScenario } from './mesh-scenario.js';

/**
 * A mesh of adaptors that compare: they write only new values, and keep values that they have not reported. They state
 * what they have seen. Each value is set once, and no record is deleted.
 */
export const randomComparingScenario = (seed: number): MeshScenario => {
  const base = randomScenario(seed, { deletes: 0, upLinks: 0.2, compares: 1 });
  let values = 0;
  const actions = base.actions.flatMap((action): MeshAction[] => {
    if (action.kind !== 'SET') return [action];
    values += 1;
    return [{ ...action, value: `v${values}` }];
  });
  const adaptors = base.adaptors.map((plan) => ({ ...plan, tells: 'SEEN' as const, capitalises: [] }));
  return { ...base, adaptors, actions, denials: [], keptMessages: reportWindow };
};
