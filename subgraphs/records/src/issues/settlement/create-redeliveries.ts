import type { SqlClient } from '@fds/database';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import { Outbox } from '../../domain/routing/outbox.js';
import { planRedelivery, type RedeliveryPlace } from '../../domain/routing/plan-redelivery.js';
import { RecordBook } from '../../domain/records/record-book.js';
import { loadFailedMessage, type IssueMessage } from '../../store/issues/failed-message.js';
import { loadRecords } from '../../store/records/load-records.js';
import { decideRecords, type Decided } from '../../store/transaction/decide-records.js';
import { inTurn } from '../../store/transaction/record-session.js';

/** Sends again what a destination could not handle. */
export interface Redeliveries {
  /**
   * Queues the message of an issue at the end of the adaptor's outbox, in the transaction that closes the issue.
   *
   * @returns why it is not sent; undefined when it was queued
   */
  queue(client: SqlClient, issue: { readonly uuid: string; readonly adaptorUuid: string }): Promise<string | undefined>;
}

const gone = 'the content of the message is not known now';
const queuedAgain = 'the event has been sent again since';

export interface RedeliveriesDependencies {
  readonly view: () => CatalogView;
  readonly newUuid: () => string;
}

type Refused = { readonly refusal: string };

/** Between whom the message is sent again; the catalog may no longer have them. */
const findPlace = async (
  view: CatalogView,
  adaptorUuid: string,
  failed: IssueMessage,
): Promise<Omit<RedeliveryPlace, 'record'> | Refused> => {
  const destination = await view.findAdaptor(adaptorUuid);
  if (destination === undefined) return { refusal: gone };
  if (failed.isQueuedAgain) return { refusal: queuedAgain };
  const version = await view.findVersionByUuid(failed.domainVersionUuid);
  if (version === undefined) return { refusal: gone };
  const { sourceAdaptorUuid: uuid } = failed;
  const adaptor = uuid === null ? undefined : await view.findAdaptor(uuid);
  // the zone whose chain would decide
  if (uuid !== null && adaptor === undefined) return { refusal: 'the adaptor that it came from is gone' };
  return { source: { uuid, zoneUuid: adaptor?.zoneUuid ?? version.zoneUuid }, destination, version };
};

export const createRedeliveries = ({ view: viewOf, newUuid }: RedeliveriesDependencies): Redeliveries => ({
  queue: async (client, { uuid, adaptorUuid }) => {
    const view = viewOf();
    await view.catchUp();
    const { result } = await decideRecords(inTurn(client), {
      locking: {
        catalog: view.catalog,
        adaptorUuids: [adaptorUuid],
        routed: [],
        checked: [],
        taken: undefined,
        newUuid,
      },
      load: (sql) => ({ failed: () => loadFailedMessage(sql, uuid) }),
      open: async ({ sql }, { channels, loaded: { failed } }) => {
        if (!channels.has(adaptorUuid) || failed === undefined) return { refusal: gone };
        const found = await findPlace(view, adaptorUuid, failed);
        if ('refusal' in found) return found;
        const { records } = await loadRecords(sql, { keys: [], uuids: [failed.recordUuid] });
        const book = new RecordBook(records);
        const outbox = new Outbox((each) => channels.get(each));
        return { failed, book, outbox, place: { ...found, record: book.byUuid(failed.recordUuid) } };
      },
      decide: (opened): Decided<string | undefined> => {
        if ('refusal' in opened) return { result: opened.refusal };
        const { failed, book, outbox, place } = opened;
        const planned = planRedelivery({ governance: view.governance, book, outbox }, failed, place);
        if ('refusal' in planned) return { result: planned.refusal };
        const { delivery, consulted } = planned;
        return { result: undefined, decisions: { outcomes: [{ deliveries: [delivery], consulted }], book, outbox } };
      },
    });
    return result;
  },
});
