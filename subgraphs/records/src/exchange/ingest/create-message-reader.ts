import { checkEvent, checkMessage, type CarriedEvent, type Envelope, type LinkReport } from '@fds/adaptor-protocol';
import { findReferencedVersions } from '../../catalog-view/find-referenced-versions.js';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import type { AdaptorView } from '../../domain/catalog.js';
import type { IncomingEvent } from '../../domain/events/incoming-event.js';
import { emptyReport, readDataEvent, readLink } from '../../domain/events/read-event.js';
import {
  isOversized,
  unreadableData,
  unreadableJson,
  unreadablePayload,
} from '../../domain/events/unreadable-event.js';
import type { QueuedEvent } from './queued-event.js';
import { readUnreadable } from './read-unreadable.js';

/** An event of a message, and the way to read it again when the catalog has changed. */
type ReadEvent = Required<Pick<QueuedEvent, 'event' | 'reread'>>;

/** A message of the sequence, with the payload that carried it. */
export interface ReceivedMessage extends Pick<CarriedEvent, 'envelope' | 'inBatch'> {
  readonly payload: Uint8Array;
}

/** Reads messages of `up/data` and `up/link` against the catalog. A fault of a message is an event too. */
export interface MessageReader {
  /** The events of a message of the sequence, at least one: a report without valid links is read as an empty event. */
  readData(adaptor: AdaptorView, message: ReceivedMessage): Promise<readonly ReadEvent[]>;
  /** The links of a report that are valid and name a known version. */
  readLinks(adaptor: AdaptorView, report: LinkReport): Promise<readonly ReadEvent[]>;
}

export interface MessageReaderOptions {
  readonly view: CatalogView;
  /** A message of an adaptor is larger than the bus allows. */
  readonly onOversized: () => void;
}

type ReadOne = (adaptor: AdaptorView) => Promise<IncomingEvent>;

/** Reports of links come on `up/link`, or in the sequence on `up/data`. */
const linkType = 'fds.link.v1';

export const createMessageReader = ({ view, onOversized }: MessageReaderOptions): MessageReader => {
  const readEnvelope = async (adaptor: AdaptorView, envelope: Envelope): Promise<IncomingEvent> => {
    const checked = checkEvent('up/data', envelope);
    if (!checked.ok) return readUnreadable(view, adaptor, unreadableData(envelope.data, checked.faults));
    if (checked.value.type === linkType) return emptyReport(adaptor);
    const event = readDataEvent(view.catalog, adaptor, checked.value.data);
    if (event.kind === 'RECORD_CHANGED') await findReferencedVersions(view, event.version.model);
    return event;
  };

  /** Reads an event as often as needed, without keeping the payload: a payload that is too large may be very large. */
  const readerOf = ({ payload, envelope, inBatch }: ReceivedMessage): ReadOne => {
    if (envelope.ok) return (adaptor) => readEnvelope(adaptor, envelope.value);
    if (isOversized(envelope.faults)) onOversized();
    const { faults } = envelope;
    const message = inBatch === undefined ? unreadablePayload(payload, faults) : unreadableJson(inBatch, faults);
    return (adaptor) => readUnreadable(view, adaptor, message);
  };

  const readLinks: MessageReader['readLinks'] = async (adaptor, { links }) => {
    const found: ReadEvent[] = [];
    for (const link of links) {
      await view.findVersion(link.domain, link.version);
      const event = readLink(view.catalog, adaptor, link);
      if (event === undefined) continue;
      found.push({ event, reread: async () => readLink(view.catalog, adaptor, link) ?? event });
    }
    return found;
  };

  /** The links of a message of the sequence; none of one that reports no links. */
  const readSequencedLinks = async (adaptor: AdaptorView, envelope: Envelope): Promise<readonly ReadEvent[]> => {
    if (envelope.type !== linkType) return [];
    const checked = checkMessage('up/link', envelope);
    return checked.ok ? readLinks(adaptor, checked.value.data) : [];
  };

  return {
    readData: async (adaptor, message) => {
      const read = readerOf(message);
      const links = message.envelope.ok ? await readSequencedLinks(adaptor, message.envelope.value) : [];
      if (links.length > 0) return links;
      // an event that arrived in discovery mode is discovery also when it is read again
      const { discoveryMode } = adaptor;
      const reread = (): Promise<IncomingEvent> =>
        read({ ...(view.catalog.adaptor(adaptor.uuid) ?? adaptor), discoveryMode });
      return [{ event: await read(adaptor), reread }];
    },
    readLinks,
  };
};
