import type { AssemblyRequest } from '@fds/assembly-contract';
import { AppError, type ErrorCause } from '@fds/errors';
import type { CompiledModel } from '@fds/model-schema';
import { createDeadline, type Deadline } from './deadline.js';
import {
  defaultTimeoutSeconds,
  readRequest,
  refuseFaults,
  type EffectiveRequest,
} from '../../domain/effective-request.js';
import { planMerge } from '../../domain/merge-plan.js';
import { readRequestedProperties } from '../../domain/requested-properties.js';
import { restrictionOf } from '../../domain/restriction.js';
import type { RecordSelection } from '../../store/record-store.js';
import { adaptorFaults } from './adaptor-faults.js';
import type { AssemblyScope } from './assembly-scope.js';
import { planSources, type SourcePlan } from './plan-sources.js';
import { recordSelection } from './record-selection.js';
import { requireVersion, type Asking, type VersionSources } from './require-version.js';

/** A request that is valid: its scope, its records, its adaptors. */
export interface RequestPlan {
  readonly scope: AssemblyScope;
  readonly selection: RecordSelection;
  readonly deadline: Deadline;
  /** Rejects when the request names an adaptor that the caller may not know. */
  readonly sources: Promise<SourcePlan>;
}

/** The causes of a refusal, as causes among others. */
const causesOf = ({ code, message, errors }: AppError): readonly ErrorCause[] =>
  errors.length > 0
    ? errors.map((cause) => ({ ...cause, pointer: `/${cause.pointer.replace(/^\//, '')}` }))
    : [{ pointer: '', code, detail: message }];

/** The requested properties; all of them where some are not known. */
const requestedOf = ({ requestedProperties }: EffectiveRequest, { properties }: CompiledModel) => {
  try {
    return { requested: readRequestedProperties(requestedProperties, properties), faults: [] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { requested: readRequestedProperties(undefined, properties), faults: causesOf(error) };
  }
};

/**
 * Reads a request and finds its version, its records and its adaptors.
 *
 * @param maxSize largest `size` of the kind of answer
 * @throws AppError VALIDATION_FAILED with every fault, NOT_FOUND; INVALID_QUERY and INVALID_PARAMETER where nothing else is
 * wrong
 */
export const planRequest = async (
  dependencies: VersionSources,
  given: AssemblyRequest,
  asking: Asking,
  maxSize: number,
): Promise<RequestPlan> => {
  const { request, faults } = readRequest(given, asking.principal, maxSize);
  const timeoutSeconds = faults.some(({ pointer }) => pointer === '/timeout') ? defaultTimeoutSeconds : request.timeout;
  const deadline = createDeadline(timeoutSeconds * 1000);
  const version = await deadline.within(requireVersion(dependencies, request, asking)).catch((error: unknown) => {
    refuseFaults(faults);
    throw error;
  });
  const properties = requestedOf(request, version.model);
  const scope: AssemblyScope = {
    request,
    version,
    restriction: restrictionOf(asking.principal, version),
    merge: planMerge(properties.requested, version.model),
  };
  const found: readonly ErrorCause[] = [...faults, ...properties.faults];
  const sources = planSources(dependencies.database, scope);
  const checkedSources = sources.then(async (plan) => {
    refuseFaults(await adaptorFaults(dependencies.database, scope, plan, asking.principal));
    return plan;
  });
  // awaited by the code that takes the plan, or below
  checkedSources.catch(() => undefined);
  const { selection, refusals = [] } = recordSelection(scope);
  if (selection !== undefined && found.length === 0) return { scope, selection, deadline, sources: checkedSources };
  // the adaptors that the caller may know depend on the asking zone
  const unknown = faults.some(({ pointer }) => pointer === '/zoneUuid')
    ? []
    : await adaptorFaults(dependencies.database, scope, await deadline.within(sources), asking.principal);
  const [refusal, ...others] = refusals;
  if (refusal !== undefined && others.length + found.length + unknown.length === 0) throw refusal;
  throw new AppError('VALIDATION_FAILED', 'the assembly request is not valid', {
    errors: [...found, ...refusals.flatMap(causesOf), ...unknown],
  });
};
