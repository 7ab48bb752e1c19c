import type { SqlClient } from '@fds/database';
import { saveDecisionCounts } from '@fds/owned-tables';
import type { CatalogView } from '../catalog-view/open-catalog-view.js';
import { countDecisions } from '../domain/routing/count-decisions.js';
import { Outbox } from '../domain/routing/outbox.js';
import { planRedelivery } from '../domain/routing/plan-redelivery.js';
import { RecordBook } from '../domain/records/record-book.js';
import { advanceChannels, lockChannels } from '../store/channels/channel.js';
import { saveDeliveries } from '../store/events/save-outcomes.js';
import { loadFailedMessage } from '../store/issues/failed-message.js';
import { loadRecords } from '../store/records/load-records.js';
import { saveRecords } from '../store/records/save-records.js';

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
const superseded =
  'something newer of the record has been queued for the adaptor since, or the event has been sent again';

export const createRedeliveries = ({ view: viewOf }: { readonly view: () => CatalogView }): Redeliveries => ({
  queue: async (client, { uuid, adaptorUuid }) => {
    const view = viewOf();
    await view.catchUp();
    const channel = (await lockChannels(client, [adaptorUuid])).get(adaptorUuid);
    const failed = await loadFailedMessage(client, uuid);
    const destination = await view.findAdaptor(adaptorUuid);
    if (channel === undefined || failed === undefined || destination === undefined) return gone;
    if (failed.isSuperseded) return superseded;
    const version = await view.findVersionByUuid(failed.domainVersionUuid);
    if (version === undefined) return gone;
    const { sourceAdaptorUuid } = failed;
    const adaptor = sourceAdaptorUuid === null ? undefined : await view.findAdaptor(sourceAdaptorUuid);
    // the zone whose chain would decide
    if (sourceAdaptorUuid !== null && adaptor === undefined) return 'the adaptor that it came from is gone';
    const source = { uuid: sourceAdaptorUuid, zoneUuid: adaptor?.zoneUuid ?? version.zoneUuid };
    const { records } = await loadRecords(client, { keys: [], uuids: [failed.recordUuid] });
    const book = new RecordBook(records);
    const outbox = new Outbox((uuid) => (uuid === adaptorUuid ? channel : undefined));
    const planned = planRedelivery({ governance: view.governance, book, outbox }, failed, {
      source,
      destination,
      version,
      record: book.byUuid(failed.recordUuid),
    });
    if ('refusal' in planned) return planned.refusal;
    await saveRecords(client, book.changes());
    await saveDeliveries(client, [planned.delivery]);
    await advanceChannels(client, [{ ...channel, downSequence: planned.delivery.sequence }]);
    await saveDecisionCounts(client, countDecisions([planned]));
    return undefined;
  },
});
