import { restrictionOf } from '@fds/access-rules';
import { AppError, FaultList } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';
import { isCapable, type AdaptorView, type DomainVersionView } from '../../domain/catalog.js';
import { readCondition } from '../../reading/listing/resolvers/key-properties.js';
import type { RecordsAccess } from '../../reading/listing/resolvers/list-data-records.js';
import type { ReconciliationPolicy } from '../domain/plan-effects.js';
import {
  addReconciliation,
  isAdaptorOf,
  shownReconciliation,
  type ReconciledPlace,
  type ReconciliationOrder,
} from '../store/reconciliation.js';
import { logJob } from '../store/running-jobs.js';

/** Dependencies of the resolvers of reconciliations. */
export interface ReconciliationAccess extends RecordsAccess {
  /** UUID version 7. */
  readonly newUuid: () => string;
  /** Called after a job was added. Must not throw. */
  readonly onReconciliation: () => void;
}

export interface StartArguments extends ReconciledPlace {
  readonly input: {
    readonly domainVersionUuid: string;
    readonly preview?: boolean | null;
    readonly values?: ReconciliationPolicy['values'] | null;
    readonly missingHere?: ReconciliationPolicy['missingHere'] | null;
    readonly missingThere?: ReconciliationPolicy['missingThere'] | null;
    readonly properties?: readonly string[] | null;
    readonly query?: string | null;
  };
}

/** @throws AppError NOT_FOUND */
export const requireAdaptor = async ({ database }: RecordsAccess, place: ReconciledPlace): Promise<void> => {
  if (!(await isAdaptorOf(database.reads, place))) throw new AppError('NOT_FOUND', 'there is no such adaptor here');
};

const readProperties = (
  { model }: DomainVersionView,
  given: readonly string[] | null | undefined,
  faults: FaultList,
): readonly string[] | null => {
  if (given === null || given === undefined) return null;
  const names = given.map((name, index) => {
    const property = model.properties.find((each) => each.name.toLowerCase() === name.toLowerCase());
    if (property === undefined) {
      faults.add(`/properties/${index}`, 'UNKNOWN_PROPERTY', `the model has no property "${name.slice(0, 128)}"`);
    }
    return property?.name ?? name;
  });
  if (names.length === 0) faults.add('/properties', 'TOO_FEW_ITEMS', 'name a property, or leave the list out');
  return [...new Set(names)];
};

const requireCapable = (adaptor: AdaptorView, version: DomainVersionView, faults: FaultList): void => {
  const actions = ['GET', 'POST', 'PUT', 'DELETE'] as const;
  if (actions.some((action) => isCapable(adaptor, version, action))) return;
  const name = `${version.domainName}:v${version.versionNumber}`;
  faults.add('/domainVersionUuid', 'NOT_CAPABLE', `the adaptor has no capability for ${name}`);
};

const readOrder = (
  adaptor: AdaptorView,
  version: DomainVersionView | undefined,
  { zoneUuid, adaptorUuid, input }: StartArguments,
  { principal, purpose }: RequestContext,
): ReconciliationOrder => {
  const faults = new FaultList(purpose);
  const { domainVersionUuid, query } = input;
  if (version === undefined) {
    const detail = `there is no such domain version: ${domainVersionUuid}`;
    faults.add('/domainVersionUuid', 'UNKNOWN_REFERENCE', detail);
  } else requireCapable(adaptor, version, faults);
  const properties = version === undefined ? null : readProperties(version, input.properties, faults);
  faults.throwIfAny();
  // counts of a search for hidden values would reveal them
  if (version !== undefined) {
    readCondition({ model: version.model, restriction: restrictionOf(principal, 'GET', version) }, query);
  }
  return {
    zoneUuid,
    adaptorUuid,
    domainVersionUuid,
    preview: input.preview ?? true,
    values: input.values ?? 'KEEP',
    missingHere: input.missingHere ?? 'KEEP',
    missingThere: input.missingThere ?? 'KEEP',
    properties,
    query: query === undefined || query === null || query.trim() === '' ? null : query,
    startedByUuid: principal.uuid,
  };
};

const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '23505';

/**
 * Adds a job, which runs in the background.
 *
 * @throws AppError NOT_FOUND, VALIDATION_FAILED, UNKNOWN_REFERENCE, INVALID_QUERY, RECONCILIATION_RUNNING, DISCOVERY_MODE
 */
export const startReconciliation = async (
  access: ReconciliationAccess,
  args: StartArguments,
  context: RequestContext,
) => {
  await requireAdaptor(access, args);
  const { database, view, newUuid, onReconciliation } = access;
  const adaptor = await view().reloadAdaptor(args.adaptorUuid);
  if (adaptor === undefined) throw new AppError('NOT_FOUND', 'there is no such adaptor here');
  const version = await view().findVersionByUuid(args.input.domainVersionUuid);
  const order = readOrder(adaptor, version, args, context);
  if (!order.preview && adaptor.discoveryMode) {
    throw new AppError('DISCOVERY_MODE', 'the adaptor is in discovery mode: nothing is sent because of it');
  }
  const job = await database
    .transaction(async (client) => {
      const added = await addReconciliation(client, newUuid(), order);
      await logJob(client, added.uuid, 'POST', context.principal.uuid);
      return added;
    })
    .catch((error: unknown) => {
      if (!isTaken(error)) throw error;
      throw new AppError(
        'RECONCILIATION_RUNNING',
        'another reconciliation of this adaptor and domain version has not ended',
      );
    });
  onReconciliation();
  return shownReconciliation(job);
};
