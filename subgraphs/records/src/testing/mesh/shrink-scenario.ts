import type { MeshScenario } from './mesh-scenario.js';

/** The scenario with as few actions and troubles as still fail. */
export const shrinkScenario = (scenario: MeshScenario, fails: (candidate: MeshScenario) => boolean): MeshScenario => {
  let least = scenario;
  const attempt = (candidate: MeshScenario): boolean => {
    if (!fails(candidate)) return false;
    least = candidate;
    return true;
  };
  attempt({ ...least, loss: 0, doubles: 0 });
  attempt({ ...least, denials: [] });
  for (let index = 0; index < least.adaptors.length; index += 1) {
    const plain = least.adaptors.map((plan, at) => (at === index ? { ...plan, capitalises: [] } : plan));
    attempt({ ...least, adaptors: plain });
  }
  for (let shrunk = true; shrunk;) {
    shrunk = false;
    for (let index = least.actions.length - 1; index >= 0; index -= 1) {
      if (attempt({ ...least, actions: least.actions.toSpliced(index, 1) })) shrunk = true;
    }
  }
  return least;
};
