import { AppError, type ErrorCause } from '@fds/errors';
import type { JsonObject } from '@fds/json';
import type { CompiledModel } from '@fds/model-schema';
import type { DomainVersionView } from '../../../domain/catalog.js';

/** A given record, validated against its model. */
export interface ReadRecord {
  readonly drKey: JsonObject;
  /** Hexadecimal. */
  readonly keyDigest: string;
  /** Null for federated versions: only the DR Key is kept. */
  readonly json: JsonObject | null;
  /** Names of the given properties, unchanged; others have their defaults. */
  readonly given: readonly string[];
}

/** NONE: the causes of a refusal are not read. All such refusals are one error, because an error costs more than most validations. */
export type ListedCauses = 'ALL' | 'NONE';

const withoutCauses = new AppError('VALIDATION_FAILED', 'the record is not valid');

const notValid = (errors: readonly ErrorCause[], listed: ListedCauses): AppError =>
  listed === 'NONE' ? withoutCauses : new AppError('VALIDATION_FAILED', 'the record is not valid', { errors });

const readFederated = (model: CompiledModel, json: JsonObject, listed: ListedCauses): ReadRecord | AppError => {
  const names = new Set(model.drKeyProperties.map((name) => name.toLowerCase()));
  const members = Object.entries(json).filter(([name]) => names.has(name.toLowerCase()));
  const validation = model.validateDrKey(Object.fromEntries(members));
  if (!validation.valid) return notValid(validation.errors, listed);
  const drKey = validation.record;
  return { drKey, keyDigest: model.keyDigest(drKey), json: null, given: Object.keys(json) };
};

/** @returns VALIDATION_FAILED with every cause where the record does not fit; pointers count from the top of the record */
export const readNewRecord = (
  { model, domainType }: Pick<DomainVersionView, 'model' | 'domainType'>,
  json: JsonObject,
  listed: ListedCauses = 'ALL',
): ReadRecord | AppError => {
  if (domainType === 'FEDERATED') return readFederated(model, json, listed);
  const validation = model.validate(json);
  if (!validation.valid) return notValid(validation.errors, listed);
  const drKey = model.drKeyOf(validation.record);
  return {
    drKey,
    keyDigest: model.keyDigest(drKey),
    json: validation.record,
    given: Object.keys(json),
  };
};
