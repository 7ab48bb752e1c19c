import type { AssembledRecord } from '@fds/assembly-contract';
import { isRecordReleased } from '../../domain/release-policy.js';
import type { CataloguedRecord } from '../../store/record-store.js';
import type { Gathered } from '../gathering.js';
import type { WindowOutcome } from '../completeness.js';
import type { AssemblyWindow } from '../open-window.js';
import type { AssemblyScope } from '../plan/assembly-scope.js';

/** The current state of a record of an answer. */
export interface PresentRecord {
  readonly assembled: AssembledRecord;
  readonly catalogued: CataloguedRecord;
}

/** Records of one version that were assembled or read together. */
export interface HeldRecords {
  readonly scope: AssemblyScope;
  /** By uuid. Returns the same objects until `revision` changes. */
  present(): ReadonlyMap<string, PresentRecord>;
  /** Increases with every change. */
  revision(): number;
  /** Resolves when the release policy releases some of the records. */
  released(uuids: readonly string[]): Promise<void>;
  /** Resolves when the records no longer change. */
  settled(): Promise<void>;
  outcome(): WindowOutcome;
  /** Ends everything in progress. Idempotent. */
  close(): void;
}

const toPresent = (
  catalogued: readonly CataloguedRecord[],
  assembled: readonly AssembledRecord[],
): ReadonlyMap<string, PresentRecord> => {
  const byUuid = new Map(assembled.map((record) => [record.uuid, record]));
  return new Map(
    catalogued.flatMap((record): [string, PresentRecord][] => {
      const found = byUuid.get(record.uuid);
      return found === undefined ? [] : [[record.uuid, { assembled: found, catalogued: record }]];
    }),
  );
};

/** Federated records for which adaptors are asked. */
export const holdWindow = (
  scope: AssemblyScope,
  window: AssemblyWindow,
  records: readonly CataloguedRecord[],
): HeldRecords => {
  const { gathering } = window;
  const settledOf = (gathered: readonly Gathered[]): number =>
    gathered.filter(({ outcome }) => outcome !== 'PENDING').length;
  let known: { readonly revision: number; readonly present: ReadonlyMap<string, PresentRecord> } | undefined;
  return {
    scope,
    revision: () => settledOf(gathering.gathered()),
    present: () => {
      const gathered = gathering.gathered();
      const revision = settledOf(gathered);
      if (known?.revision !== revision) {
        known = { revision, present: toPresent(records, window.merge(records, gathered)) };
      }
      return known.present;
    },
    released: async (uuids) => {
      for (;;) {
        const gathered = gathering.gathered();
        const { releasePolicy } = scope.request;
        if (gathering.isOver() || uuids.every((uuid) => isRecordReleased(releasePolicy, gathered, uuid))) return;
        await gathering.changed(gathered);
      }
    },
    settled: async () => {
      while (!gathering.isOver()) await gathering.changed(gathering.gathered());
    },
    outcome: () => ({ gathered: gathering.gathered(), denied: window.denied }),
    close: () => gathering.close(),
  };
};

/** Records of a data-store domain. */
export const holdStored = (
  scope: AssemblyScope,
  records: readonly CataloguedRecord[],
  assembled: readonly AssembledRecord[],
): HeldRecords => {
  const present = toPresent(records, assembled);
  return {
    scope,
    present: () => present,
    revision: () => 0,
    released: () => Promise.resolve(),
    settled: () => Promise.resolve(),
    outcome: () => ({ gathered: [], denied: [] }),
    close: () => undefined,
  };
};
