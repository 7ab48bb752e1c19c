import { AppError, type ErrorCause } from '@fds/errors';
import { isJsonObject } from '@fds/json';
import { conditionProperties } from '@fds/search';
import type { EffectiveRequest } from '../../domain/effective-request.js';
import { searchCondition } from '../../domain/search-condition.js';
import { searchedProperties } from '../../domain/searched-properties.js';
import { sortTerms } from '../../domain/sort-terms.js';
import type { RecordSelection } from '../../store/record-store.js';
import type { AssembledVersion } from '../../store/version-store.js';
import type { AssemblyScope } from './assembly-scope.js';

const digestsOf = (request: EffectiveRequest, { model }: AssembledVersion): Buffer[] | undefined => {
  if (request.drUuids !== undefined || request.drKeys === undefined) return undefined;
  const errors: ErrorCause[] = [];
  const digests = request.drKeys.flatMap((drKey, index) => {
    // the doors pass on any JSON value
    if (!isJsonObject(drKey)) {
      errors.push({ pointer: `/drKeys/${index}`, code: 'WRONG_TYPE', detail: 'a DR Key must be an object' });
      return [];
    }
    const validation = model.validateDrKey(drKey);
    if (validation.valid) return [Buffer.from(model.keyDigest(validation.record), 'hex')];
    errors.push(...validation.errors.map((cause) => ({ ...cause, pointer: `/drKeys/${index}${cause.pointer}` })));
    return [];
  });
  if (errors.length > 0) throw new AppError('VALIDATION_FAILED', 'a DR Key is not valid', { errors });
  return digests;
};

/** A selection, or the reasons for a refusal. */
export type SelectionResult =
  | { readonly selection: RecordSelection; readonly refusals?: undefined }
  | { readonly selection?: undefined; readonly refusals: readonly AppError[] };

/**
 * The page of requested records. Refusals: VALIDATION_FAILED for DR Keys, INVALID_QUERY for the query,
 * INVALID_PARAMETER for the order.
 */
export const recordSelection = ({ request, version, restriction }: AssemblyScope): SelectionResult => {
  const properties = searchedProperties(version.model, restriction);
  const refusals: AppError[] = [];
  const attempt = <Value>(read: () => Value): Value | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refusals.push(error);
      return undefined;
    }
  };
  const keyDigests = attempt(() => digestsOf(request, version));
  const condition = attempt(() => searchCondition(request.query, properties));
  const orderBy = attempt(() => sortTerms(request.sort, properties)) ?? [];
  if (refusals.length > 0) return { refusals };
  const selection: RecordSelection = {
    domainVersionUuid: version.domainVersionUuid,
    domainType: version.domainType,
    drUuids: request.drUuids,
    keyDigests,
    condition,
    orderBy,
    offset: request.page * request.size,
    limit: request.size,
    restriction,
    required: [
      ...(keyDigests === undefined ? [] : version.model.drKeyProperties),
      ...(condition === undefined ? [] : conditionProperties(condition)),
      ...orderBy.map(({ property }) => property.name),
    ],
  };
  return { selection };
};
