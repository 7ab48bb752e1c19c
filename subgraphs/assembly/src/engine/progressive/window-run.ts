import type { EffectiveRequest } from '../../domain/effective-request.js';
import { isRecordReleased } from '../../domain/release-policy.js';
import type { CataloguedRecord } from '../../store/record-store.js';
import type { WindowOutcome } from '../completeness.js';
import type { Gathered } from '../gathering.js';
import type { AssemblyWindow } from '../open-window.js';
import type { AnswerReferences } from '../references/open-answer-references.js';
import { createGivenRecords, type ChangeLine } from './given-records.js';

/** A window of a progressive answer. It turns the state of its gathering into lines. */
export interface WindowRun {
  /**
   * The lines that can be sent now: records at their own release, then their changes. It waits only for referenced
   * records.
   */
  takeLines(): Promise<ChangeLine[]>;
  /** Has every record been sent? */
  isGiven(): boolean;
  /** Has the last line been taken? */
  isOver(): boolean;
  /** Resolves when there may be new lines. @throws the signal's reason */
  changed(): Promise<void>;
  outcomes(): WindowOutcome[];
  close(): void;
}

/** Sources that have settled since the last lines. */
const newlySettled = (gathered: readonly Gathered[], seen: readonly Gathered[]): Gathered[] =>
  gathered.filter(({ outcome }, index) => outcome !== 'PENDING' && (seen[index]?.outcome ?? 'PENDING') === 'PENDING');

/**
 * @param firstIndex place of the window's first record in the whole answer
 * @param references undefined when references are not expanded. The run closes them
 * @param onClose called once
 */
export const createWindowRun = (
  { request }: { readonly request: Pick<EffectiveRequest, 'releasePolicy'> },
  window: AssemblyWindow,
  records: readonly CataloguedRecord[],
  firstIndex: number,
  references: AnswerReferences | undefined,
  onClose: () => void,
): WindowRun => {
  const { gathering, denied } = window;
  const given = createGivenRecords(references);
  const places = new Map(records.map(({ uuid }, place) => [uuid, place]));
  let seen: readonly Gathered[] = [];
  /** Do the lines include every answer about the records themselves? */
  let isGathered = false;
  let isOver = false;
  let isClosed = false;

  const takeOwnLines = (): Promise<ChangeLine[]> => {
    isGathered = gathering.isOver();
    const gathered = gathering.gathered();
    const changed = newlySettled(gathered, seen);
    seen = gathered;
    const due = records.filter(({ uuid }) =>
      given.has(uuid)
        ? changed.some(({ recordUuids }) => recordUuids.has(uuid))
        : isGathered || isRecordReleased(request.releasePolicy, gathered, uuid),
    );
    const merged = due.length === 0 ? [] : window.merge(due, gathered);
    return given.give(
      due.flatMap((catalogued, at) => {
        const record = merged[at];
        const index = firstIndex + (places.get(catalogued.uuid) ?? 0);
        return record === undefined ? [] : [{ record, catalogued, index }];
      }),
    );
  };

  return {
    takeLines: async () => {
      if (isOver) return [];
      if (!isGathered) {
        const lines = await takeOwnLines();
        isOver = isGathered && references === undefined;
        return lines;
      }
      const lines = await given.refresh();
      isOver = lines === undefined;
      return lines ?? [];
    },
    isGiven: () => given.count() === records.length,
    isOver: () => isOver,
    changed: () => (isGathered && references !== undefined ? references.settled() : gathering.changed(seen)),
    outcomes: () => [{ gathered: gathering.gathered(), denied }, ...(references?.outcomes() ?? [])],
    close: () => {
      gathering.close();
      references?.close();
      if (!isClosed) onClose();
      isClosed = true;
    },
  };
};
