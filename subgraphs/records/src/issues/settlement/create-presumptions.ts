import { checkMessage, adaptorSource } from '@fds/adaptor-protocol';
import type { SqlClient } from '@fds/database';
import { isJsonObject, parseJson } from '@fds/json';
import { findReferencedVersions } from '../../catalog-view/find-referenced-versions.js';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import type { AdaptorView } from '../../domain/catalog.js';
import type { RecordChanged } from '../../domain/events/incoming-event.js';
import { readDataEvent } from '../../domain/events/read-event.js';
import type { Presumption, Presumptions } from '../../domain/issues/presumptions.js';
import type { StateBefore } from '../../domain/issues/restore-record.js';
import { undoPresumption } from '../../domain/issues/undo-presumption.js';
import { matchingsOf } from '../../domain/records/near-records.js';
import { RecordBook } from '../../domain/records/record-book.js';
import { Outbox } from '../../domain/routing/outbox.js';
import { freeKey, loadPresumption, loadSentTo, moveHistory } from '../../store/issues/load-presumption.js';
import { lockMatching } from '../../store/matching/match-tokens.js';
import { loadRecords } from '../../store/records/load-records.js';
import { openReferenceBook } from '../../store/references/open-reference-book.js';
import { decideRecords, type Decided } from '../../store/transaction/decide-records.js';
import { inTurn } from '../../store/transaction/record-session.js';

export interface PresumptionsDependencies {
  readonly view: () => CatalogView;
  readonly newUuid: () => string;
}

type Undone = { readonly recordUuid: string } | { readonly refusal: string };

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
      return { recordUuid, unblocked: [] };
    const event = await readEvent(source, kept.dataEvent);
    if (event === undefined) return gone;

    const digests = [event.key.digest, before?.keyDigest, before?.link?.keyDigest].flatMap((digest) => digest ?? []);
    const matchings = matchingsOf([version]);
    const { result, saved } = await decideRecords(inTurn(client), {
      locking: {
        catalog: view.catalog,
        adaptorUuids: [],
        routed: [version],
        checked: [version],
        taken: undefined,
        newUuid,
      },
      load: (sql) => ({
        lockMatching: () => lockMatching(sql, [...matchings.keys()]),
        touched: () =>
          loadRecords(sql, {
            keys: digests.map((keyDigest) => ({ domainVersionUuid, keyDigest })),
            uuids: [recordUuid, ...(settled.drUuid === null ? [] : [settled.drUuid])],
          }),
        sentTo: () => loadSentTo(sql, recordUuid),
      }),
      open: async ({ sql }, { catalog, channels, loaded }) => {
        const { records: stored, removedLinks } = loaded.touched;
        const book = new RecordBook(stored, matchings, removedLinks);
        const isStored = version.domainType === 'SERVICE_DATA_STORE';
        const jsons = isStored ? [event.record, before?.json, book.byUuid(recordUuid)?.json] : [];
        const references = await openReferenceBook(sql, {
          catalog,
          book,
          stored,
          written: jsons.flatMap((json) => (json ? [{ version, json }] : [])),
          deletedUuids: isStored && before === undefined ? [recordUuid] : [],
        });
        const outbox = new Outbox((uuid) => channels.get(uuid));
        return { catalog, book, references, outbox, sentTo: loaded.sentTo };
      },
      decide: ({ catalog, book, references, outbox, sentTo }): Decided<Undone> => {
        const record = book.byUuid(recordUuid);
        if (settled.drUuid !== null && book.byUuid(settled.drUuid)?.domainVersionUuid !== domainVersionUuid) {
          return { result: { refusal: 'there is no such record of the domain version' } };
        }
        // it was deleted since: nothing is left of it
        if (record === undefined) return { result: { recordUuid: settled.drUuid ?? recordUuid } };
        const { governance, operational } = view;
        const undoing = undoPresumption(
          { catalog, governance, operational, book, outbox, references, newUuid, isBlocked: () => false },
          source,
          { event, record, before, sentTo },
          settled,
        );
        if ('refusal' in undoing) return { result: undoing };
        const { drUuid } = settled;
        const movesHistory = before === undefined && drUuid !== null;
        return {
          result: { recordUuid: undoing.recordUuid ?? drUuid ?? recordUuid },
          decisions: { outcomes: undoing.outcomes, book, references, outbox },
          ahead: (sql) => ({
            ...(movesHistory ? { moveHistory: () => moveHistory(sql, recordUuid, drUuid) } : {}),
            ...(before !== undefined && record.keyDigest !== event.key.digest
              ? { freeKey: () => freeKey(sql, recordUuid) }
              : {}),
          }),
        };
      },
    });
    return 'refusal' in result ? result : { ...result, unblocked: await saved.unblocked.answer };
  };

  return { undo };
};
