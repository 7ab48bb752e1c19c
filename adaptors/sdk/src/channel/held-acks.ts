import type { Ack } from '@fds/adaptor-protocol';

/** Acknowledgements that wait until the reports about their messages are sent. */
export interface HeldAcks {
  /** Holds an acknowledgement back. False: no report is unsent, and neither is an earlier acknowledgement. */
  hold(ack: Ack): boolean;
  /** The last acknowledgement whose reports are sent, once. Undefined: each of them still waits. */
  release(): Ack | undefined;
}

/** Numbers of the reports that are not sent. Undefined: all are sent. */
type Unsent = { readonly first: number; readonly last: number } | undefined;

const isSame = (one: Ack, other: Ack): boolean => one.epoch === other.epoch && one.upto === other.upto;

/**
 * An acknowledgement waits for the reports that are stored when it is made. Reports are sent in order. A later
 * acknowledgement of the same position takes the place of the former one: it adds only `settled`, which moves the window,
 * and the server applies no message because of it. So the list is not longer than the window.
 */
export const createHeldAcks = (unsent: () => Unsent): HeldAcks => {
  let held: { readonly ack: Ack; readonly lastReport: number }[] = [];
  return {
    hold: (ack) => {
      const last = held.at(-1);
      if (last !== undefined && isSame(last.ack, ack)) {
        held[held.length - 1] = { ...last, ack };
        return true;
      }
      const lastReport = unsent()?.last;
      if (lastReport === undefined && last === undefined) return false;
      held.push({ ack, lastReport: lastReport ?? 0 });
      return true;
    },
    release: () => {
      if (held.length === 0) return undefined;
      const first = unsent()?.first ?? Number.POSITIVE_INFINITY;
      const waits = held.findIndex(({ lastReport }) => lastReport >= first);
      const released = waits < 0 ? held : held.slice(0, waits);
      held = waits < 0 ? [] : held.slice(waits);
      return released.at(-1)?.ack;
    },
  };
};
