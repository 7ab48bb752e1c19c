import { createHash } from 'node:crypto';
import { canonicalJson, type JsonValue } from '@fds/json';
import { readDocuments } from './document.js';
import { Planning, type CreatedClient, type PlannedChange, type RestWorld } from './plan.js';
import { planLists } from './plan-list.js';
import { planDefaultVersions, planSingles, pruneSingles } from './plan-single.js';
import type { RefusalCause } from './rest-client.js';

export interface PlannedDocuments {
  readonly changes: readonly PlannedChange[];
  readonly faults: readonly RefusalCause[];
  /** Credentials of created adaptors and service accounts. */
  readonly clients: readonly CreatedClient[];
  /** Digest of the changes and of everything that the documents were compared with. */
  readonly fingerprint: string;
}

export interface PlanOptions {
  /** Delete what the documents leave out below the zones and kinds that they name. */
  readonly prune: boolean;
}

const maxFaults = 1000;

/**
 * Makes the resources of the world those of the documents, by the requests of the REST API: each has its own checks and
 * needs its own permission. A refusal is a fault of its document, and the others go on.
 */
export const planDocuments = async (
  world: RestWorld,
  values: JsonValue,
  { prune }: PlanOptions,
): Promise<PlannedDocuments> => {
  const faults: RefusalCause[] = [];
  const planning = new Planning(world, readDocuments(values, faults));
  planning.faults.push(...faults);
  await planSingles(planning, 'Zone');
  await planSingles(planning, 'AdaptorType');
  await planSingles(planning, 'Domain');
  await planSingles(planning, 'DomainVersion');
  await planDefaultVersions(planning);
  await planSingles(planning, 'Adaptor');
  await planSingles(planning, 'Role');
  await planSingles(planning, 'Group');
  await planSingles(planning, 'User');
  await planLists(planning, 'DataAccessRules');
  await world.refreshCaller();
  await planLists(planning, 'Preferences');
  await planLists(planning, 'InboundAcls');
  await planLists(planning, 'OutboundAcls');
  await planLists(planning, 'OperationalAcls');
  await planSingles(planning, 'Notification');
  if (prune) {
    for (const kind of ['Notification', 'User', 'Group', 'Role', 'Adaptor', 'AdaptorType', 'Zone'] as const)
      await pruneSingles(planning, kind);
  }
  const { changes, clients, compared } = planning;
  const fingerprint = createHash('sha256')
    .update(canonicalJson([changes as unknown as JsonValue, compared]))
    .digest('base64url');
  return { changes, clients, faults: planning.faults.slice(0, maxFaults), fingerprint };
};
