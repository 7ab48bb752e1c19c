import type { AssemblyRequest } from '@fds/assembly-contract';
import type { Database } from '@fds/database';
import { AppError, type ErrorCause } from '@fds/errors';
import type { CompiledModel } from '@fds/model-schema';
import type { CatalogFacts } from '../../catalog/catalog-facts.js';
import type { CatalogMemory } from '../../catalog/catalog-memory.js';
import {
  defaultTimeoutSeconds,
  readRequest,
  refuseFaults,
  type EffectiveRequest,
  type ReadRequest,
} from '../../domain/effective-request.js';
import { planMerge } from '../../domain/merge-plan.js';
import { readRequestedProperties } from '../../domain/requested-properties.js';
import { assemblyRestriction } from '../../domain/assembly-restriction.js';
import type { RecordSelection } from '../../store/record-store.js';
import { adaptorFaults } from './adaptor-faults.js';
import type { AssemblyScope } from './assembly-scope.js';
import { createDeadline, type Deadline } from './deadline.js';
import { planSources, type SourcePlan } from './plan-sources.js';
import { recordSelection } from './record-selection.js';
import { requireVersion, type Asking } from './require-version.js';

/** A valid request with its scope, records and adaptors. */
export interface RequestPlan<Records> {
  readonly scope: AssemblyScope;
  readonly records: Records;
  readonly sources: SourcePlan;
  readonly deadline: Deadline;
}

export interface PlanDependencies {
  readonly database: Pick<Database, 'reads'>;
  readonly catalog: CatalogMemory;
}

export interface PlanOptions<Records> {
  readonly asking: Asking;
  /** Largest `size` of the kind of answer. */
  readonly maxSize: number;
  /** Are adaptors asked for the records of a data-store version too? Default: the store has them. */
  readonly asksHolders?: boolean;
  /** Reads the records while the adaptors are looked up. May be called twice. */
  readonly select: (selection: RecordSelection) => Promise<Records>;
}

/** The causes of a refusal, to be joined with others. */
const causesOf = ({ code, message, errors }: AppError): readonly ErrorCause[] =>
  errors.length > 0
    ? errors.map((cause) => ({ ...cause, pointer: `/${cause.pointer.replace(/^\//, '')}` }))
    : [{ pointer: '', code, detail: message }];

/** The requested properties, or all of them if one is unknown. */
const requestedOf = ({ requestedProperties }: EffectiveRequest, { properties }: CompiledModel) => {
  try {
    return { requested: readRequestedProperties(requestedProperties, properties), faults: [] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { requested: readRequestedProperties(undefined, properties), faults: causesOf(error) };
  }
};

/** The part of a plan that depends on the catalog. */
const planByCatalog = async <Records>(
  database: Pick<Database, 'reads'>,
  facts: CatalogFacts,
  { request, faults }: ReadRequest,
  { asking, select, asksHolders }: PlanOptions<Records>,
): Promise<Omit<RequestPlan<Records>, 'deadline'>> => {
  const { principal } = asking;
  const version = await requireVersion({ database, versions: facts }, request, asking).catch((error: unknown) => {
    refuseFaults(faults);
    throw error;
  });
  const properties = requestedOf(request, version.model);
  const scope: AssemblyScope = {
    request,
    version,
    restriction: assemblyRestriction(principal, version),
    merge: planMerge(properties.requested, version.model),
  };
  const found: readonly ErrorCause[] = [...faults, ...properties.faults];
  const { selection, refusals = [] } = recordSelection(scope);
  const findSources = async (): Promise<SourcePlan> => {
    const sources = await planSources(facts, scope, asksHolders);
    refuseFaults(await adaptorFaults(database, scope, sources, principal));
    return sources;
  };
  if (selection !== undefined && found.length === 0) {
    const [records, sources] = await Promise.all([select(selection), findSources()]);
    return { scope, records, sources };
  }
  // the asking zone determines which adaptors the caller may know
  const unknown = faults.some(({ pointer }) => pointer === '/zoneUuid')
    ? []
    : await adaptorFaults(database, scope, await planSources(facts, scope, asksHolders), principal);
  const [refusal, ...others] = refusals;
  if (refusal !== undefined && others.length + found.length + unknown.length === 0) throw refusal;
  throw new AppError('VALIDATION_FAILED', 'the assembly request is not valid', {
    errors: [...found, ...refusals.flatMap(causesOf), ...unknown],
  });
};

/**
 * Reads a request and finds its version, its records and its adaptors.
 *
 * @throws AppError VALIDATION_FAILED with every fault, NOT_FOUND; INVALID_QUERY and INVALID_PARAMETER when there is no
 * other fault
 */
export const planRequest = async <Records>(
  { database, catalog }: PlanDependencies,
  given: AssemblyRequest,
  options: PlanOptions<Records>,
): Promise<RequestPlan<Records>> => {
  const read = readRequest(given, options.asking.principal, options.maxSize);
  const isTimeoutWrong = read.faults.some(({ pointer }) => pointer === '/timeout');
  const deadline = createDeadline((isTimeoutWrong ? defaultTimeoutSeconds : read.request.timeout) * 1000);
  const plan = await deadline.within(catalog.decide((facts) => planByCatalog(database, facts, read, options)));
  return { ...plan, deadline };
};
