import type { SqlSession } from '@fds/database';
import type { JsonObject } from '@fds/json';
import { readReference, referencesIn, referenceTreeOf } from '@fds/model-schema';
import type { Catalog, DomainVersionView } from '../../domain/catalog.js';
import type { RecordBook, RecordState } from '../../domain/records/record-book.js';
import { ReferenceBook } from '../../domain/references/reference-book.js';
import { loadReferrers, loadTargets, type WantedTargets } from './references.js';

/** What a batch is about to write, as far as references go. */
export interface ReferringBatch {
  readonly catalog: Pick<Catalog, 'version' | 'versionByUuid'>;
  readonly book: RecordBook;
  /** Records as they are stored. */
  readonly stored: readonly RecordState[];
  /** Records or parts of them that may be written, valid or not. */
  readonly written: readonly { readonly version: DomainVersionView; readonly json: JsonObject }[];
  /** Data-store records that may be deleted. */
  readonly deletedUuids: readonly string[];
}

const wantedTargets = (catalog: ReferringBatch['catalog'], held: ReferringBatch['written']): WantedTargets => {
  const uuids = new Set<string>();
  const keys = new Map<string, WantedTargets['keys'][number]>();
  for (const { version, json } of held) {
    for (const { reference, value } of referencesIn(version.model, json)) {
      const target = catalog.version(reference.domain, reference.version);
      const found = target === undefined ? undefined : readReference(target.model, value);
      if (target === undefined || found === undefined) continue;
      if (found.kind === 'UUID') uuids.add(found.uuid);
      else
        keys.set(`${target.uuid}:${found.keyDigest}`, { domainVersionUuid: target.uuid, keyDigest: found.keyDigest });
    }
  }
  return { uuids: [...uuids], keys: [...keys.values()] };
};

/**
 * Reads what a batch needs to know of references: two statements whatever its size, none where no model refers to anything
 * and nothing is deleted. Takes no locks: the foreign key answers for what happens until the commit.
 */
export const openReferenceBook = async (client: SqlSession, batch: ReferringBatch): Promise<ReferenceBook> => {
  const { catalog, book, stored, written, deletedUuids } = batch;
  const before = stored.flatMap(({ domainVersionUuid, json }) => {
    const version = json === null ? undefined : catalog.versionByUuid(domainVersionUuid);
    return version === undefined || json === null ? [] : [{ version, json }];
  });
  const referring = [...written, ...before].filter(({ version }) => referenceTreeOf(version.model).size > 0);
  const [targets, referrers] = await Promise.all([
    loadTargets(client, wantedTargets(catalog, referring)),
    loadReferrers(
      client,
      deletedUuids,
      stored.map(({ uuid }) => uuid),
    ),
  ]);
  return new ReferenceBook(book, { targets, ...referrers });
};
