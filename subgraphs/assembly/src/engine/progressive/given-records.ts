import type { AssembledRecord, PatchLine, RecordLine } from '@fds/assembly-contract';
import type { CataloguedRecord } from '../../store/record-store.js';
import type { AnswerReferences } from '../references/open-answer-references.js';
import { changeLine } from './change-line.js';

/** A record with its place in the whole answer. */
interface PlacedRecord {
  readonly record: AssembledRecord;
  readonly catalogued: CataloguedRecord;
  readonly index: number;
}

interface GivenRecord extends PlacedRecord {
  /** The version that the client has. */
  readonly shown: AssembledRecord;
  /** The revision of the references before the record was expanded. */
  readonly revision: number;
}

export type ChangeLine = RecordLine | PatchLine;

/** The records of one window that the client has. */
export interface GivenRecords {
  readonly count: () => number;
  has(uuid: string): boolean;
  /** The lines for new records, or for changes of known ones. */
  give(records: readonly PlacedRecord[]): Promise<ChangeLine[]>;
  /** The changes because of later answers about referenced records. Undefined when no record has changed. */
  refresh(): Promise<ChangeLine[] | undefined>;
}

/** @param references undefined when references are not expanded */
export const createGivenRecords = (references: AnswerReferences | undefined): GivenRecords => {
  const given = new Map<string, GivenRecord>();

  const expand = async (records: readonly PlacedRecord[]): Promise<readonly AssembledRecord[]> => {
    const plain = records.map(({ record }) => record);
    if (references === undefined || records.length === 0) return plain;
    return references.expand(
      plain,
      records.map(({ catalogued }) => catalogued),
    );
  };

  const give = async (records: readonly PlacedRecord[]): Promise<ChangeLine[]> => {
    // a change during the expansion may be missing in the records, so the revision is read before
    const revision = references?.revision() ?? 0;
    const expanded = await expand(records);
    return records.flatMap((placed, place) => {
      const { record, index } = placed;
      const shown = expanded[place] ?? record;
      const before = given.get(record.uuid);
      given.set(record.uuid, { ...placed, shown, revision });
      return (before === undefined ? { record: shown, index } : changeLine(before.shown, shown, index)) ?? [];
    });
  };

  return {
    count: () => given.size,
    has: (uuid) => given.has(uuid),
    give,
    refresh: async () => {
      const revision = references?.revision() ?? 0;
      const stale = [...given.values()].filter((record) => record.revision !== revision);
      return stale.length === 0 ? undefined : give(stale);
    },
  };
};
