import type { AssembledRecord, PatchLine, RecordLine } from '@fds/assembly-contract';
import { isRecordReleased } from '../../domain/release-policy.js';
import type { CataloguedRecord } from '../../store/record-store.js';
import type { WindowOutcome } from '../completeness.js';
import type { Gathered } from '../gathering.js';
import type { AssemblyWindow } from '../open-window.js';
import type { AssemblyScope } from '../plan/assembly-scope.js';
import { changeLine } from './change-line.js';

/** A window of a progressive answer: turns the state of its gathering into lines. */
export interface WindowRun {
  /** The lines that are due now: records at their own release, then their changes. */
  takeLines(): (RecordLine | PatchLine)[];
  /** Was every record given? */
  isGiven(): boolean;
  /** Was the last line taken? */
  isOver(): boolean;
  /** Resolves when there may be lines again. @throws the signal's reason */
  changed(): Promise<void>;
  outcome(): WindowOutcome;
  close(): void;
}

/** Sources that settled since the last lines. */
const newlySettled = (gathered: readonly Gathered[], seen: readonly Gathered[]): Gathered[] =>
  gathered.filter(({ outcome }, index) => outcome !== 'PENDING' && (seen[index]?.outcome ?? 'PENDING') === 'PENDING');

/**
 * @param firstIndex place of the window's first record in the whole answer
 * @param onClose called once
 */
export const createWindowRun = (
  { request }: AssemblyScope,
  window: AssemblyWindow,
  records: readonly CataloguedRecord[],
  firstIndex: number,
  onClose: () => void,
): WindowRun => {
  const { gathering, denied } = window;
  const given = new Map<string, AssembledRecord>();
  const places = new Map(records.map(({ uuid }, place) => [uuid, place]));
  let seen: readonly Gathered[] = [];
  let isOver = false;
  let isClosed = false;

  return {
    takeLines: () => {
      if (isOver) return [];
      isOver = gathering.isOver();
      const gathered = gathering.gathered();
      const changed = newlySettled(gathered, seen);
      seen = gathered;
      const due = records.filter(({ uuid }) =>
        given.has(uuid)
          ? changed.some(({ recordUuids }) => recordUuids.has(uuid))
          : isOver || isRecordReleased(request.releasePolicy, gathered, uuid),
      );
      if (due.length === 0) return [];
      return window.merge(due, gathered).flatMap((record) => {
        const index = firstIndex + (places.get(record.uuid) ?? 0);
        const before = given.get(record.uuid);
        given.set(record.uuid, record);
        const line = before === undefined ? { record, index } : changeLine(before, record, index);
        return line === undefined ? [] : [line];
      });
    },
    isGiven: () => given.size === records.length,
    isOver: () => isOver,
    changed: () => gathering.changed(seen),
    outcome: () => ({ gathered: gathering.gathered(), denied }),
    close: () => {
      gathering.close();
      if (!isClosed) onClose();
      isClosed = true;
    },
  };
};
