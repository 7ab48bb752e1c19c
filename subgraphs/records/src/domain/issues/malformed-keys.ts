import type { RaisedIssue } from '../events/event-outcome.js';
import type { IncomingEvent } from '../events/incoming-event.js';
import { queueOf, type QueueKey } from './parked-queues.js';

/** A deletion of a record whose DR Key is not valid. */
export interface MalformedDeletion {
  /** `keyDigest` is that of the key as it is reported. */
  readonly place: QueueKey;
  readonly transactionUuid: string;
}

/** Undefined: the event is another one. */
export const malformedDeletion = (event: IncomingEvent): MalformedDeletion | undefined => {
  if (event.kind !== 'FAULTY' || event.version === undefined) return undefined;
  const { sourceAdaptorUuid: adaptorUuid, version, malformedKey } = event;
  if (malformedKey?.deletedBy === undefined) return undefined;
  return {
    place: { adaptorUuid, domainVersionUuid: version.uuid, keyDigest: malformedKey.digest },
    transactionUuid: malformedKey.deletedBy,
  };
};

/** DR Keys that are not valid and that adaptors have reported, with their open issues, as a batch sees them. */
export class MalformedKeys {
  readonly #open: Map<string, readonly string[]>;

  /** @param open by place, the open issues of keys that deletions of the batch name; an empty list if all are closed */
  constructor(open: ReadonlyMap<string, readonly string[]>) {
    this.#open = new Map(open);
  }

  /** An event of the batch became an issue. */
  raise({ uuid, adaptorUuid, domainVersionUuid, malformedDigest: keyDigest }: RaisedIssue): void {
    if (domainVersionUuid === null || keyDigest === undefined) return;
    const place = queueOf({ adaptorUuid, domainVersionUuid, keyDigest });
    this.#open.set(place, [...(this.#open.get(place) ?? []), uuid]);
  }

  /** The open issues of a key that its adaptor deletes. Undefined: the adaptor has not reported the key before. */
  withdraw(place: QueueKey): readonly string[] | undefined {
    const open = this.#open.get(queueOf(place));
    if (open !== undefined) this.#open.set(queueOf(place), []);
    return open;
  }
}
