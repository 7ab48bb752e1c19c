import type { AssembledRecord, PatchLine, RecordLine } from '@fds/assembly-contract';
import type { JsonObject } from '@fds/json';
import { mergePatch } from './merge-patch.js';

const toJson = (record: AssembledRecord): JsonObject => ({ ...record });

/**
 * The line that turns the client's version of a record into a newer one.
 *
 * @returns undefined when nothing changed
 */
export const changeLine = (
  from: AssembledRecord,
  to: AssembledRecord,
  index: number,
): PatchLine | RecordLine | undefined => {
  const patch = mergePatch(toJson(from), toJson(to));
  if (patch === undefined) return { record: to, index };
  return Object.keys(patch).length === 0 ? undefined : { patch, uuid: to.uuid, index };
};
