import { AppError, type ErrorCause } from '@fds/errors';
import { conditionProperties } from '@fds/search-query';
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
    const validation = model.validateDrKey(drKey);
    if (validation.valid) return [model.keyDigest(validation.record)];
    errors.push(...validation.errors.map((cause) => ({ ...cause, pointer: `/drKeys/${index}${cause.pointer}` })));
    return [];
  });
  if (errors.length > 0) throw new AppError('VALIDATION_FAILED', 'a DR Key is not valid', { errors });
  return digests;
};

/**
 * The page of records that a request asks for.
 *
 * @throws AppError VALIDATION_FAILED, INVALID_QUERY, INVALID_PARAMETER
 */
export const recordSelection = ({ request, version, restriction }: AssemblyScope): RecordSelection => {
  const properties = searchedProperties(version.model, restriction);
  const keyDigests = digestsOf(request, version);
  const condition = searchCondition(request.query, properties);
  const orderBy = sortTerms(request.sort, properties);
  return {
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
};
