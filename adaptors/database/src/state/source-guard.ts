import type { TableState } from './adaptor-state.js';
import type { SourceIdentity } from '../source/source-identity.js';

/** The source is another one than before. The message names both. */
export class SourceChanged extends Error {
  override readonly name = 'SourceChanged';
}

/** Recognises the source of a table, so that no row of another source is taken for one of this table. */
export interface SourceGuard {
  /**
   * Resolves when the source is the one to which the adaptor's state belongs. The first source that it sees is that one.
   *
   * @param maxAgeMs an earlier answer counts for this time. Default: 0
   * @throws SourceChanged; Error when the source or the state store does not answer
   */
  check(maxAgeMs?: number): Promise<void>;
}

interface SourceGuardOptions {
  readonly identify: () => Promise<SourceIdentity>;
  readonly state: Pick<TableState, 'knownSource' | 'rememberSource' | 'rememberScan' | 'rememberLog'>;
  /** True: `sourceChanged` of the table entry is ACCEPT. */
  readonly accepts: boolean;
  /** Called when the former source is back. */
  readonly onReturn: () => Promise<void>;
}

interface KnownSource extends SourceIdentity {
  /** True: the ACCEPT that stands in the table entry has accepted this source, and accepts no later one. */
  readonly isAccepted: boolean;
}

const explain = (known: KnownSource, present: SourceIdentity, accepts: boolean): string => {
  const action = accepts
    ? 'the "ACCEPT" in "sourceChanged" of its table entry was for an earlier change: remove it, and set it again'
    : 'set "sourceChanged": "ACCEPT" in its table entry';
  return (
    `the source is another one than before: it was ${known.path}, and is now ${present.path}. ` +
    `Nothing is reported or written until the former source is back. To accept the present one, ${action}`
  );
};

export const createSourceGuard = ({ identify, state, accepts, onReturn }: SourceGuardOptions): SourceGuard => {
  let known: KnownSource | undefined;
  let isAway = false;
  let checkedAtMs = Number.NEGATIVE_INFINITY;

  const load = async (): Promise<KnownSource | undefined> => {
    const stored = await state.knownSource();
    return stored === undefined ? undefined : (JSON.parse(stored) as KnownSource);
  };
  const remember = async ({ id, path }: SourceIdentity, isAccepted: boolean): Promise<void> => {
    await state.rememberSource(JSON.stringify({ id, path, isAccepted }));
    known = { id, path, isAccepted };
  };

  const check = async (): Promise<void> => {
    known ??= await load();
    const present = await identify();
    if (known === undefined) return remember(present, accepts);
    if (accepts && !known.isAccepted) {
      // the position belongs to the former source
      if (known.id !== present.id) {
        await state.rememberScan(0n);
        await state.rememberLog(undefined);
      }
      return remember(present, true);
    }
    if (!accepts && known.isAccepted) await remember(known, false);
    if (known.id !== present.id) {
      isAway = true;
      throw new SourceChanged(explain(known, present, accepts));
    }
    if (isAway) await onReturn();
    isAway = false;
    if (known.path !== present.path) await remember(present, known.isAccepted);
  };

  let running: Promise<void> | undefined;
  return {
    check: async (maxAgeMs = 0) => {
      if (performance.now() - checkedAtMs < maxAgeMs) return;
      checkedAtMs = Number.NEGATIVE_INFINITY;
      running ??= check().finally(() => {
        running = undefined;
      });
      await running;
      checkedAtMs = performance.now();
    },
  };
};
