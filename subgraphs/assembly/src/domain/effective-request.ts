import type { AssemblyRequest, ReleasePolicy } from '@fds/assembly-contract';
import { AppError, type ErrorCause } from '@fds/errors';
import { temporalFaults } from './temporal-parameters.js';

/** A request with the specification's defaults filled in. */
export type EffectiveRequest = AssemblyRequest & {
  readonly zoneUuid: string;
  readonly versionNumber: number;
  readonly timeout: number;
  readonly releasePolicy: ReleasePolicy;
  readonly page: number;
  readonly size: number;
};

/** The caller's zones, as far as a request depends on them. */
export interface Asker {
  readonly zones: readonly { readonly zoneUuid: string }[];
  /** The asking zone of a request that names none. */
  readonly defaultZoneUuid: string | undefined;
}

const maxTimeoutSeconds = 600;

/** Largest `size` of an answer; also the most records of one message to an adaptor (decisions, section 11). */
export const mostRecords = { plain: 1_000, progressive: 100_000 } as const;

const outOfRange = (name: string, value: number, min: number, max: number): ErrorCause[] =>
  value >= min && value <= max
    ? []
    : [{ pointer: `/${name}`, code: 'OUT_OF_RANGE', detail: `${name} must be from ${min} to ${max}` }];

const zoneFaults = (zoneUuid: string | undefined, { zones }: Asker): ErrorCause[] => {
  if (zoneUuid === undefined) {
    return [{ pointer: '/zoneUuid', code: 'REQUIRED', detail: 'you have no default zone: name the asking zone' }];
  }
  return zones.some((zone) => zone.zoneUuid === zoneUuid)
    ? []
    : [{ pointer: '/zoneUuid', code: 'NOT_A_MEMBER', detail: 'you are not a member of this zone' }];
};

/**
 * Fills in defaults and checks what can be checked without the catalogue.
 *
 * @param maxSize largest `size` of the kind of answer
 * @throws AppError VALIDATION_FAILED with every fault
 */
export const effectiveRequest = (
  request: AssemblyRequest,
  asker: Asker,
  maxSize: number = mostRecords.plain,
): EffectiveRequest => {
  const { timeout = 30, page = 0, size = 10, versionNumber = 1, releasePolicy = 'GOLD_SILVER' } = request;
  const zoneUuid = request.zoneUuid ?? asker.defaultZoneUuid;
  const errors: ErrorCause[] = [
    ...zoneFaults(zoneUuid, asker),
    ...outOfRange('timeout', timeout, 1, maxTimeoutSeconds),
    ...outOfRange('size', size, 1, maxSize),
    ...outOfRange('page', page, 0, Number.MAX_SAFE_INTEGER),
    ...outOfRange('versionNumber', versionNumber, 1, Number.MAX_SAFE_INTEGER),
    ...temporalFaults(request.additionalParams),
  ];
  if (request.domain === undefined && request.drUuids === undefined) {
    errors.push({ pointer: '/domain', code: 'REQUIRED', detail: 'domain is required unless drUuids are given' });
  }
  if (request.expandRefs === true) {
    errors.push({
      pointer: '/expandRefs',
      code: 'NOT_AVAILABLE',
      detail: 'cross-references are not expanded in this release',
    });
  }
  if (errors.length > 0) throw new AppError('VALIDATION_FAILED', 'the assembly request is not valid', { errors });
  return { ...request, zoneUuid: zoneUuid ?? '', timeout, page, size, versionNumber, releasePolicy };
};
