import type { PrismaTransaction } from '@fds/database';
import { compileGrants, type CompiledGrants } from '@fds/access-rules';
import { grantsOfPerson } from '../managed-roles.js';
import { loadGrants } from './load-grants.js';
import { holdersOf, loadMemberships } from './load-memberships.js';

/** The compiled grants of a person, as the transaction sees them. */
export const loadGrantsOf = async (tx: PrismaTransaction, personUuid: string): Promise<CompiledGrants> => {
  const zones = await loadMemberships(tx, personUuid);
  const granted = await loadGrants(
    tx,
    zones.flatMap((zone) => holdersOf(zone, '')),
  );
  return compileGrants([...grantsOfPerson(personUuid), ...granted]);
};
