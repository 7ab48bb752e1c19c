import type { AssembledRecord, PatchLine, RecordLine } from '@fds/assembly-contract';
import { isRecordReleased } from '../../domain/release-policy.js';
import type { CataloguedRecord } from '../../store/record-store.js';
import type { Gathered } from '../gathering.js';
import type { AssemblyWindow } from '../open-window.js';
import type { AssemblyScope } from '../plan/assembly-scope.js';
import { changeLine } from './change-line.js';

/** Settled sources that the lines do not take into account yet. */
const newlySettled = (gathered: readonly Gathered[], seen: readonly Gathered[]): Gathered[] =>
  gathered.filter(({ outcome }, index) => outcome !== 'PENDING' && (seen[index]?.outcome ?? 'PENDING') === 'PENDING');

/**
 * The lines of a window: each record when its own release condition is met, later its changes. Ends when the window is
 * over.
 *
 * @param firstIndex of the window's first record in the whole answer
 * @returns the sources with their outcomes
 */
export async function* windowLines(
  { request }: AssemblyScope,
  window: AssemblyWindow,
  records: readonly CataloguedRecord[],
  firstIndex: number,
): AsyncGenerator<RecordLine | PatchLine, readonly Gathered[]> {
  const given = new Map<string, AssembledRecord>();
  let seen: readonly Gathered[] = [];
  for (;;) {
    const isOver = window.gathering.isOver();
    const gathered = window.gathering.gathered();
    const changed = newlySettled(gathered, seen);
    const due = [...records.entries()].filter(([, { uuid }]) =>
      given.has(uuid)
        ? changed.some(({ recordUuids }) => recordUuids.has(uuid))
        : isOver || isRecordReleased(request.releasePolicy, gathered, uuid),
    );
    const merged = window.merge(
      due.map(([, record]) => record),
      gathered,
    );
    for (const [place, record] of merged.entries()) {
      const index = firstIndex + (due[place]?.[0] ?? 0);
      const before = given.get(record.uuid);
      const line = before === undefined ? { record, index } : changeLine(before, record, index);
      given.set(record.uuid, record);
      if (line !== undefined) yield line;
    }
    if (isOver) return gathered;
    seen = gathered;
    await window.gathering.changed(seen);
  }
}
