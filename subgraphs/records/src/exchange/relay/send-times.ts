/** When messages of outboxes were sent that are not acknowledged yet. */
export interface SendTimes {
  /** Messages were sent, up to this number of the outbox. */
  sent(adaptorUuid: string, upto: number): void;
  /** @returns when the message with the number was sent first, epoch milliseconds; undefined: not known */
  take(adaptorUuid: string, upto: number): number | undefined;
  forget(adaptorUuid: string): void;
}

interface SentUpto {
  readonly upto: number;
  readonly at: number;
}

/** Most notes of one adaptor: as many as messages are on the way. Older ones are dropped. */
const maxNotes = 512;

export const createSendTimes = (nowMs: () => number): SendTimes => {
  const notes = new Map<string, SentUpto[]>();
  return {
    sent: (adaptorUuid, upto) => {
      const list = notes.get(adaptorUuid) ?? [];
      // a message that is sent again was sent before
      if ((list.at(-1)?.upto ?? -1) >= upto) return;
      list.push({ upto, at: nowMs() });
      if (list.length > maxNotes) list.shift();
      notes.set(adaptorUuid, list);
    },
    take: (adaptorUuid, upto) => {
      const list = notes.get(adaptorUuid) ?? [];
      const found = list.find((note) => note.upto >= upto);
      const left = list.filter((note) => note.upto > upto);
      if (left.length === 0) notes.delete(adaptorUuid);
      else notes.set(adaptorUuid, left);
      return found?.at;
    },
    forget: (adaptorUuid) => {
      notes.delete(adaptorUuid);
    },
  };
};
