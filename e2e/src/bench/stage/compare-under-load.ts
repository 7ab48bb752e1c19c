import { compare, interleaved, perSecond } from '../interleaved.js';
import { openLoad, type LoadTarget } from '../load/open-load.js';
import type { Leftovers } from '../../harness/leftovers.js';
import type { Measurement } from '../row.js';

const rounds = 5;
const roundMs = 2_000;

/** Answers per second under the same closed loop, for the service and the comparator in turn. Every body is checked. */
export const compareUnderLoad = async (
  leftovers: Leftovers,
  targets: { readonly service: LoadTarget; readonly other: LoadTarget },
  /** Name of the figure. */
  name = '',
): Promise<Measurement> => {
  const load = openLoad(leftovers);
  const nowMs = (): number => performance.now();
  const { subject, floor, ratio } = compare(
    await interleaved({
      rounds,
      subject: perSecond(() => load.run(targets.service, roundMs), nowMs),
      floor: perSecond(() => load.run(targets.other, roundMs), nowMs),
    }),
  );
  const { connections } = targets.service;
  return {
    values: { [name]: ratio },
    notes: [
      `${name === '' ? '' : `${name}: `}${Math.round(subject.median)} answers/s against ${Math.round(floor.median)}; ${connections} connections, ` +
        `${rounds} rounds of ${roundMs / 1000} s each side, every body compared`,
    ],
  };
};
