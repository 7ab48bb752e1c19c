import type { MeshScenario } from './mesh-scenario.js';

/** Meshes that never come to rest take seconds each. */
const maxAttempts = 200;

/** The scenario with as few actions and troubles as still fail, as far as it is found in so many attempts. */
export const shrinkScenario = (scenario: MeshScenario, fails: (candidate: MeshScenario) => boolean): MeshScenario => {
  let least = scenario;
  let attempts = 0;
  const attempt = (candidate: MeshScenario): boolean => {
    attempts += 1;
    if (attempts > maxAttempts || !fails(candidate)) return false;
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
