import type { IssueCause } from '../events/event-outcome.js';

export type IssuePriority = 'LOW' | 'MEDIUM' | 'HIGH';

/** Issues that only a person can settle come first; issues that wait for another one, last. */
const defaults: Readonly<Record<IssueCause, IssuePriority>> = {
  AMBIGUOUS: 'HIGH',
  KEY_TAKEN: 'HIGH',
  MASS_DELETION: 'HIGH',
  HUB_BEHIND: 'HIGH',
  FAULTY: 'MEDIUM',
  UNREADABLE: 'MEDIUM',
  UNKNOWN_VERSION: 'MEDIUM',
  NOT_CAPABLE: 'MEDIUM',
  NOT_VALID: 'MEDIUM',
  IN_USE: 'MEDIUM',
  OPERATIONAL: 'MEDIUM',
  ADAPTOR: 'MEDIUM',
  DRIFTED: 'MEDIUM',
  PRESUMED: 'LOW',
  HELD: 'LOW',
};

/** The priority of an issue whose priority no person has set. */
export const defaultPriority = (cause: IssueCause): IssuePriority => defaults[cause];
