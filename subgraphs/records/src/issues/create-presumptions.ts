import { checkMessage, adaptorSource } from '@fds/adaptor-protocol';
import type { SqlClient } from '@fds/database';
import { isJsonObject, parseJson } from '@fds/json';
import { findReferencedVersions } from '../catalog-view/find-referenced-versions.js';
import type { CatalogView } from '../catalog-view/open-catalog-view.js';
import type { AdaptorView } from '../domain/catalog.js';
import type { RecordChanged } from '../domain/events/incoming-event.js';
import { readDataEvent } from '../domain/events/read-event.js';
import type { Presumption, Presumptions } from '../domain/issues/presumptions.js';
import type { StateBefore } from '../domain/issues/restore-record.js';
import { undoPresumption } from '../domain/issues/undo-presumption.js';
import { matchingsOf } from '../domain/records/near-records.js';
import { RecordBook } from '../domain/records/record-book.js';
import { Outbox } from '../domain/routing/outbox.js';
import { freeKey, loadPresumption, loadSentTo, moveHistory } from '../store/issues/load-presumption.js';
import { lockMatching } from '../store/matching/match-tokens.js';
import { loadRecords } from '../store/records/load-records.js';
import { openReferenceBook } from '../store/references/open-reference-book.js';
import { lockCatalog } from '../writes/lock-catalog.js';
import { saveOutcomes } from '../writes/save-outcomes.js';

export interface PresumptionsDependencies {
  readonly view: () => CatalogView;
  readonly newUuid: () => string;
}

const gone = { refusal: 'the data for undoing it is gone' } as const;

/** Undoes presumptions, with everything that follows, in the caller's transaction: where it is refused nothing was written. */
export const createPresumptions = ({ view: viewOf, newUuid }: PresumptionsDependencies): Presumptions<SqlClient> => {
  const readEvent = async (adaptor: AdaptorView, text: string): Promise<RecordChanged | undefined> => {
    const data = parseJson(text);
    if (!isJsonObject(data)) return undefined;
    const stamp = { id: adaptor.uuid, source: adaptorSource(adaptor.uuid), type: 'fds.data.v1', time: '' } as const;
    const checked = checkMessage('up/data', { ...stamp, data });
    if (!checked.ok || checked.value.type !== stamp.type) return undefined;
    const event = readDataEvent(viewOf().catalog, adaptor, checked.value.data);
    if (event.kind !== 'RECORD_CHANGED') return undefined;
    await findReferencedVersions(viewOf(), event.version.model);
    return event;
  };

  const undo = async (
    client: SqlClient,
    { issueUuid, recordUuid, adaptorUuid, domainVersionUuid }: Presumption,
    settled: { readonly drUuid: string | null },
  ): ReturnType<Presumptions<SqlClient>['undo']> => {
    const view = viewOf();
    const kept = await loadPresumption(client, issueUuid);
    const source = await view.findAdaptor(adaptorUuid);
    const version = await view.findVersionByUuid(domainVersionUuid);
    if (kept === undefined || source === undefined || version === undefined) return gone;
    const before = kept.before === null ? undefined : (parseJson(kept.before) as unknown as StateBefore);
    // the decision equals the presumption
    if (settled.drUuid === recordUuid || (before === undefined && settled.drUuid === null))
      return { recordUuid, mended: [] };
    const event = await readEvent(source, kept.dataEvent);
    if (event === undefined) return gone;

    const { catalog, channels } = await lockCatalog(client, { view, newUuid }, [
      { kind: 'DELETE', recordUuid, version },
    ]);
    const matchings = matchingsOf([version]);
    await lockMatching(client, [...matchings.keys()]);
    const digests = [event.key.digest, before?.keyDigest, before?.link?.keyDigest].flatMap((digest) => digest ?? []);
    const { records: stored, removedLinks } = await loadRecords(client, {
      keys: digests.map((keyDigest) => ({ domainVersionUuid, keyDigest })),
      uuids: [recordUuid, ...(settled.drUuid === null ? [] : [settled.drUuid])],
    });
    const book = new RecordBook(stored, matchings, removedLinks);
    const record = book.byUuid(recordUuid);
    if (settled.drUuid !== null && book.byUuid(settled.drUuid)?.domainVersionUuid !== domainVersionUuid) {
      return { refusal: 'there is no such record of the domain version' };
    }
    // it was deleted since: nothing is left of it
    if (record === undefined) return { recordUuid: settled.drUuid ?? recordUuid, mended: [] };
    const isStored = version.domainType === 'SERVICE_DATA_STORE';
    const references = await openReferenceBook(client, {
      catalog,
      book,
      stored,
      written: isStored
        ? [event.record, before?.json, record.json].flatMap((json) => (json ? [{ version, json }] : []))
        : [],
      deletedUuids: isStored && before === undefined ? [recordUuid] : [],
    });
    const { governance, operational } = view;
    const outbox = new Outbox((uuid) => channels.get(uuid));
    const undoing = undoPresumption(
      { catalog, governance, operational, book, outbox, references, newUuid, isHeld: () => false },
      source,
      { event, record, before, sentTo: await loadSentTo(client, recordUuid) },
      settled,
    );
    if ('refusal' in undoing) return undoing;
    if (before === undefined && settled.drUuid !== null) await moveHistory(client, recordUuid, settled.drUuid);
    if (before !== undefined && record.keyDigest !== event.key.digest) await freeKey(client, recordUuid);
    const mended = await saveOutcomes(
      client,
      { book, references },
      { outcomes: undoing.outcomes, channels, outbox, newUuid },
    );
    return { recordUuid: undoing.recordUuid ?? settled.drUuid ?? recordUuid, mended };
  };

  return { undo };
};
