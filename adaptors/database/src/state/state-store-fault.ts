import type { StateAddress } from '../configuration/document-store-metadata.js';
import { connectionFault, reasonOf } from '../source/connection-fault.js';
import { pointerOf, type ConfigurationFault } from '../configuration/fault.js';

/** MongoDB errors: AuthenticationFailed, and Unauthorized for a user without rights. */
const refusedByMongodb = new Set<unknown>([18, 13]);

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

/** The reason why a state store does not answer. Names the store, never the connection string. */
export const stateStoreFault = (name: string, store: StateAddress, error: unknown): ConfigurationFault => {
  if (store.kind === 'POSTGRESQL') return connectionFault(name, store, error);
  const place = pointerOf('databases', name, 'properties', 'connectionString');
  return refusedByMongodb.has(codeOf(error))
    ? { place, message: `MongoDB refuses the user: ${reasonOf(error)}`, retry: 'RARELY' }
    : { place, message: `no answer from MongoDB: ${reasonOf(error)}`, retry: 'SOON' };
};
