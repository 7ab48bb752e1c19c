import { AppError, type FaultList } from '@fds/errors';
import { keyPropertiesOf, type CompiledModel, type LocatedReference } from '@fds/model-schema';
import { checkSearchQuery, parseSearchQuery } from '@fds/search';
import type { DomainType } from '../domains/domain.js';

/** The properties of a target version that references require. */
export type TargetModel = Pick<CompiledModel, 'properties'> & {
  readonly domainType: DomainType;
};

const isScalar = (type: string): boolean => ['string', 'integer', 'number', 'boolean'].includes(type);

/** Names of target properties that a reference may use: plain properties at the top level. */
const isPlainProperty = ({ properties }: TargetModel, name: string): boolean =>
  properties.some((property) => property.name.toLowerCase() === name.toLowerCase() && isScalar(property.type));

const isKey = (target: TargetModel, name: string): boolean =>
  keyPropertiesOf(target).some((key) => key.name.toLowerCase() === name.toLowerCase());

const checkQuery = (query: string, pointer: string, target: TargetModel, faults: FaultList): void => {
  try {
    checkSearchQuery(parseSearchQuery(query, { placeholders: 'allowed' }), keyPropertiesOf(target));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    for (const { code, detail } of error.errors) faults.add(pointer, code, detail);
  }
};

/**
 * Checks the names of target properties in a cross-reference against the target's model
 * (docs/reference/model-schema.md#cross-references).
 */
export const checkReference = (
  { reference, pointer }: LocatedReference,
  target: TargetModel,
  faults: FaultList,
): void => {
  const { domain, version, property, query, sort } = reference;
  const beside = (keyword: string): string => pointer.replace(/\$ref$/, keyword);
  if (property !== undefined && !isPlainProperty(target, property)) {
    const detail = `${domain}:v${version} has no property ${property} with a plain value`;
    faults.add(pointer, 'UNKNOWN_REFERENCE', detail);
  }
  if (query !== undefined) checkQuery(query, beside('query'), target, faults);
  if (sort === undefined) return;
  const name = sort.replace(/^-/, '');
  if (!isPlainProperty(target, name)) {
    faults.add(beside('sort'), 'UNKNOWN_PROPERTY', `${domain}:v${version} has no such property with a plain value`);
  } else if (target.domainType === 'FEDERATED' && !isKey(target, name)) {
    const detail = `${domain}:v${version} is federated: its records are sorted by DR Key properties only`;
    faults.add(beside('sort'), 'NOT_A_DR_KEY', detail);
  }
};
