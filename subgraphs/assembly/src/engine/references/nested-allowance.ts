import { AppError } from '@fds/errors';
import { stringifyJson, type JsonObject } from '@fds/json';
import type { AnswerBound, RequestShare } from '../../bounds/answer-budget.js';

/** Most records to which the references of one answer may lead. A record counts each time a reference leads to it. */
export const maxReferenced = 50_000;

const advice = 'lower maxRefDepth, maxRefSize or size';

export const tooManyReferences = (): AppError =>
  new AppError(
    'QUERY_TOO_COMPLEX',
    `the references of one answer lead to more than ${maxReferenced} records: ${advice}`,
  );

const noMemory = (bound: AnswerBound): AppError => {
  if (bound === 'assembly_caller') {
    return new AppError('RATE_LIMITED', 'the answers to your requests take too much memory: wait until one has ended');
  }
  if (bound === 'assembly_total') {
    return new AppError('UNAVAILABLE', 'the answers that are under way take too much memory, try again in a second');
  }
  return new AppError('QUERY_TOO_COMPLEX', `the references of one answer hold too much data: ${advice}`);
};

/** Counts the records that are nested in the records of an answer. */
export interface NestedAllowance {
  /** @throws AppError QUERY_TOO_COMPLEX, RATE_LIMITED, UNAVAILABLE */
  takeBytes(bytes: number): void;
  /** Counts a nested record. @throws as `takeBytes` */
  nest(rootUuid: string, data: JsonObject | null): void;
  /** Starts counting a record again, because it is expanded again. */
  restart(rootUuid: string): void;
}

/** @param onBoundHit called for each answer that a bound ends */
export const createNestedAllowance = (
  share: RequestShare,
  onBoundHit: (bound: AnswerBound) => void,
): NestedAllowance => {
  const sizes = new WeakMap<JsonObject, number>();
  const taken = new Map<string, { records: number; bytes: number }>();
  let records = 0;

  /** The size of the text, which the answer contains each time the record is nested. */
  const sizeOf = (data: JsonObject): number => {
    const size = sizes.get(data) ?? Buffer.byteLength(stringifyJson(data));
    sizes.set(data, size);
    return size;
  };

  const takeBytes = (bytes: number): void => {
    const bound = share.take(bytes);
    if (bound === undefined) return;
    onBoundHit(bound);
    throw noMemory(bound);
  };

  return {
    takeBytes,
    nest: (rootUuid, data) => {
      records += 1;
      if (records > maxReferenced) {
        onBoundHit('assembly_references');
        throw tooManyReferences();
      }
      const bytes = data === null ? 0 : sizeOf(data);
      takeBytes(bytes);
      const ofRoot = taken.get(rootUuid) ?? { records: 0, bytes: 0 };
      taken.set(rootUuid, ofRoot);
      ofRoot.records += 1;
      ofRoot.bytes += bytes;
    },
    restart: (rootUuid) => {
      const ofRoot = taken.get(rootUuid);
      if (ofRoot === undefined) return;
      taken.delete(rootUuid);
      records -= ofRoot.records;
      share.giveBack(ofRoot.bytes);
    },
  };
};
