import { AppError, type ErrorCause } from '@fds/errors';
import type { JsonObject } from '@fds/json';
import type { DomainVersionView } from './catalog.js';

/** A record that a person posts, held against its model. */
export interface ReadRecord {
  readonly drKey: JsonObject;
  /** Hexadecimal. */
  readonly keyDigest: string;
  /** Null for federated versions: only the DR Key is kept. */
  readonly json: JsonObject | null;
}

const refuse = (errors: readonly ErrorCause[]): never => {
  throw new AppError('VALIDATION_FAILED', 'the record is not valid', {
    errors: errors.map((error) => ({ ...error, pointer: `/json${error.pointer}` })),
  });
};

/** @throws AppError VALIDATION_FAILED with every cause below `/json` */
export const readNewRecord = ({ model, domainType }: DomainVersionView, json: JsonObject): ReadRecord => {
  if (domainType === 'FEDERATED') {
    const names = new Set(model.drKeyProperties.map((name) => name.toLowerCase()));
    const members = Object.entries(json).filter(([name]) => names.has(name.toLowerCase()));
    const validation = model.validateDrKey(Object.fromEntries(members));
    if (!validation.valid) return refuse(validation.errors);
    const drKey = validation.record;
    return { drKey, keyDigest: model.keyDigest(drKey).toString('hex'), json: null };
  }
  const validation = model.validate(json);
  if (!validation.valid) return refuse(validation.errors);
  const drKey = model.drKeyOf(validation.record);
  return { drKey, keyDigest: model.keyDigest(drKey).toString('hex'), json: validation.record };
};
