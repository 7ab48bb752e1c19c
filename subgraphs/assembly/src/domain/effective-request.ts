import type { AssemblyRequest, ReleasePolicy } from '@fds/assembly-contract';
import { AppError, type ErrorCause } from '@fds/errors';
import { isJsonObject } from '@fds/json';
import { temporalFaults } from './temporal-parameters.js';

/** A request with the specification's defaults filled in. */
export type EffectiveRequest = AssemblyRequest & {
  readonly zoneUuid: string;
  readonly versionNumber: number;
  readonly timeout: number;
  readonly releasePolicy: ReleasePolicy;
  readonly expandRefs: boolean;
  readonly maxRefSize: number;
  readonly maxRefDepth: number;
  readonly outputType: 'FULL' | 'DATA_ONLY';
  readonly page: number;
  readonly size: number;
};

/** The caller's zones, as far as a request needs them. */
export interface Asker {
  readonly zones: readonly {
    readonly zoneUuid: string;
    /** False: a stranger added the caller to the zone. It does not change the meaning of the caller's requests. */
    readonly knowsPerson: boolean;
  }[];
  /** The asking zone of a request without one, for a caller who is a user of one zone. */
  readonly defaultZoneUuid: string | undefined;
}

/**
 * Largest `size` of an answer; also the most records in one message to an adaptor
 * (docs/reference/assembly.md#request).
 */
export const mostRecords = { plain: 1_000, progressive: 100_000 } as const;

export const defaultTimeoutSeconds = 30;
const maxTimeoutSeconds = 600;
/** Most records of one multivalued reference, and most levels of references. */
const mostReferences = { size: 1_000, depth: 100 } as const;

const outOfRange = (name: string, value: number, min: number, max: number): ErrorCause[] =>
  Number.isInteger(value) && value >= min && value <= max
    ? []
    : [{ pointer: `/${name}`, code: 'OUT_OF_RANGE', detail: `${name} must be from ${min} to ${max}` }];

const zoneFaults = (given: string | undefined, { zones, defaultZoneUuid }: Asker): ErrorCause[] => {
  if (given === undefined && zones.filter(({ knowsPerson }) => knowsPerson).length > 1) {
    return [
      { pointer: '/zoneUuid', code: 'REQUIRED', detail: 'you are a user of several zones: name the asking zone' },
    ];
  }
  const zoneUuid = given ?? defaultZoneUuid;
  if (zoneUuid === undefined) {
    return [{ pointer: '/zoneUuid', code: 'REQUIRED', detail: 'you have no default zone: name the asking zone' }];
  }
  return zones.some((zone) => zone.zoneUuid === zoneUuid)
    ? []
    : [{ pointer: '/zoneUuid', code: 'NOT_A_MEMBER', detail: 'you are not a member of this zone' }];
};

/** A request after reading, and the faults that are found without the catalog. */
export interface ReadRequest {
  readonly request: EffectiveRequest;
  readonly faults: readonly ErrorCause[];
}

/** The doors pass on any JSON value. */
const paramsFaults = ({ additionalParams }: AssemblyRequest): ErrorCause[] =>
  additionalParams === undefined || isJsonObject(additionalParams)
    ? temporalFaults(additionalParams)
    : [{ pointer: '/additionalParams', code: 'WRONG_TYPE', detail: 'additionalParams must be an object' }];

/**
 * Fills in defaults and makes all checks that need no catalog.
 *
 * @param maxSize largest `size` of the kind of answer
 */
export const readRequest = (given: AssemblyRequest, asker: Asker, maxSize: number = mostRecords.plain): ReadRequest => {
  const zoneUuid = given.zoneUuid ?? asker.defaultZoneUuid;
  const request: EffectiveRequest = {
    ...given,
    zoneUuid: zoneUuid ?? '',
    versionNumber: given.versionNumber ?? 1,
    timeout: given.timeout ?? defaultTimeoutSeconds,
    releasePolicy: given.releasePolicy ?? 'GOLD_SILVER',
    expandRefs: given.expandRefs ?? false,
    maxRefSize: given.maxRefSize ?? 10,
    maxRefDepth: given.maxRefDepth ?? 10,
    outputType: given.outputType ?? 'FULL',
    page: given.page ?? 0,
    size: given.size ?? 10,
  };
  // the offset of a later page exceeds the numbers that the database can count
  const lastPage = Math.floor(Number.MAX_SAFE_INTEGER / Math.max(1, Math.min(request.size, maxSize))) - 1;
  const faults: ErrorCause[] = [
    ...zoneFaults(given.zoneUuid, asker),
    ...outOfRange('timeout', request.timeout, 1, maxTimeoutSeconds),
    ...outOfRange('size', request.size, 1, maxSize),
    ...outOfRange('page', request.page, 0, lastPage),
    ...outOfRange('versionNumber', request.versionNumber, 1, Number.MAX_SAFE_INTEGER),
    ...outOfRange('maxRefSize', request.maxRefSize, 1, mostReferences.size),
    ...outOfRange('maxRefDepth', request.maxRefDepth, 1, mostReferences.depth),
    ...paramsFaults(request),
  ];
  if (request.domain === undefined && request.drUuids === undefined) {
    faults.push({ pointer: '/domain', code: 'REQUIRED', detail: 'domain is required unless drUuids are given' });
  }
  return { request, faults };
};

/** @throws AppError VALIDATION_FAILED with every fault */
export const refuseFaults = (faults: readonly ErrorCause[]): void => {
  if (faults.length > 0)
    throw new AppError('VALIDATION_FAILED', 'the assembly request is not valid', { errors: faults });
};
