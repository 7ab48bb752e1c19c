import type { SqlSession } from '@fds/database';
import { canonicalJson, type JsonObject } from '@fds/json';
import { readReference, referencesIn, referenceTreeOf } from '@fds/model-schema';
import type { Catalog, DomainVersionView } from '../../domain/catalog.js';
import { mayFind, type KeyedRecord, type seeKey } from '../../domain/records/find-visible.js';
import type { RecordBook, RecordState } from '../../domain/records/record-book.js';
import type { RecordSight } from '../../domain/records/record-sight.js';
import {
  ReferenceBook,
  type LoadedPart,
  type LoadedTarget,
  type MayFindTarget,
} from '../../domain/references/reference-book.js';
import type { TargetRecord } from '../../domain/references/resolve-references.js';
import { loadKeyParts, type VisibilityOf, type WantedPart } from './load-key-parts.js';
import { loadTargetLinks } from './load-target-links.js';
import { loadReferrers, loadTargets, type WantedTargets } from './references.js';

/** The records that a batch is about to write, as far as references go. */
export interface ReferringBatch {
  readonly catalog: Pick<Catalog, 'version' | 'versionByUuid'>;
  readonly book: RecordBook;
  /** Records as they are stored. */
  readonly stored: readonly RecordState[];
  /** Records or parts of them that may be written, valid or not. */
  readonly written: readonly { readonly version: DomainVersionView; readonly json: JsonObject }[];
  /** Data-store records that may be deleted. */
  readonly deletedUuids: readonly string[];
  /** The records that references may find. Default: all. */
  readonly seeing?: LookupSight | undefined;
}

/** The visible part of records: for a found record, and as a condition in statements that find records. */
export interface LookupSight {
  readonly sight: RecordSight;
  readonly visibilityOf: VisibilityOf;
  /** The DR Key that targets are shown with. Default: their own, for every caller. */
  readonly keyOf?: typeof seeKey;
}

interface Wanted extends WantedTargets {
  readonly parts: readonly WantedPart[];
}

const wantedTargets = (catalog: ReferringBatch['catalog'], referring: ReferringBatch['written']): Wanted => {
  const uuids = new Set<string>();
  const keys = new Map<string, WantedTargets['keys'][number]>();
  const parts = new Map<string, WantedPart>();
  for (const { version, json } of referring) {
    for (const { reference, value } of referencesIn(version.model, json)) {
      const target = catalog.version(reference.domain, reference.version);
      const found = target === undefined ? undefined : readReference(target.model, value);
      if (target === undefined || found === undefined) continue;
      if (found.kind === 'UUID') uuids.add(found.uuid);
      else if (found.kind === 'PART') {
        parts.set(`${target.uuid}:${canonicalJson(found.part)}`, { version: target, part: found.part });
      } else
        keys.set(`${target.uuid}:${found.keyDigest}`, { domainVersionUuid: target.uuid, keyDigest: found.keyDigest });
    }
  }
  return { uuids: [...uuids], keys: [...keys.values()], parts: [...parts.values()] };
};

interface Found {
  readonly targets: readonly LoadedTarget[];
  readonly parts: readonly LoadedPart[];
}

/** The visible part of the found records, and the records that a lookup may find. */
const seeFound = async (
  client: SqlSession,
  { catalog, book }: ReferringBatch,
  { sight, keyOf }: LookupSight,
  { targets, parts }: Found,
): Promise<Found & { readonly mayFind: MayFindTarget }> => {
  const all: readonly TargetRecord[] = [...targets, ...parts.flatMap((part) => part.targets)];
  const links = await loadTargetLinks(client, [...new Set(all.map(({ uuid }) => uuid))]);
  const loaded = new Map(
    all.flatMap((target): [string, { readonly version: DomainVersionView; readonly record: KeyedRecord }][] => {
      const { uuid, domainVersionUuid, drKey } = target;
      const version = catalog.versionByUuid(domainVersionUuid);
      if (version === undefined) return [];
      const keyDigest = version.model.keyDigest(drKey);
      return [[uuid, { version, record: { uuid, drKey, keyDigest, links: links.get(uuid) ?? [] } }]];
    }),
  );
  const see = <Target extends TargetRecord>(target: Target): Target => {
    const found = loaded.get(target.uuid);
    return keyOf === undefined || found === undefined
      ? target
      : { ...target, drKey: keyOf(sight, found.version, found.record) };
  };
  const mayFindTarget: MayFindTarget = ({ uuid, domainVersionUuid }, target) => {
    const version = catalog.versionByUuid(domainVersionUuid);
    const booked = book.byUuid(uuid);
    const record = booked === undefined ? loaded.get(uuid)?.record : { ...booked, links: [...booked.links.values()] };
    return version !== undefined && record !== undefined && mayFind(sight, version, record, target);
  };
  return {
    targets: targets.map(see),
    parts: parts.map(({ part, targets: fitting, ...rest }) => ({
      ...rest,
      part,
      targets: fitting.filter((target) => mayFindTarget(target, { kind: 'PART', part })).map(see),
    })),
    mayFind: mayFindTarget,
  };
};

/**
 * Reads the references of a batch: two statements for any size, one more for each set of properties by
 * which parts of keys are named and one for a caller who may not see everything; none where no model refers to anything and
 * nothing is deleted. Takes no locks: the foreign key answers for what happens until the commit.
 */
export const openReferenceBook = async (client: SqlSession, batch: ReferringBatch): Promise<ReferenceBook> => {
  const { catalog, book, stored, written, deletedUuids, seeing } = batch;
  const before = stored.flatMap(({ domainVersionUuid, json }) => {
    const version = json === null ? undefined : catalog.versionByUuid(domainVersionUuid);
    return version === undefined || json === null ? [] : [{ version, json }];
  });
  const referring = [...written, ...before].filter(({ version }) => referenceTreeOf(version.model).size > 0);
  const wanted = wantedTargets(catalog, referring);
  const [targets, parts, referrers] = await Promise.all([
    loadTargets(client, wanted),
    loadKeyParts(client, wanted.parts, seeing?.visibilityOf),
    loadReferrers(
      client,
      deletedUuids,
      stored.map(({ uuid }) => uuid),
    ),
  ]);
  if (seeing === undefined) return new ReferenceBook(book, { targets, parts, ...referrers });
  const seen = await seeFound(client, batch, seeing, { targets, parts });
  return new ReferenceBook(book, { ...seen, ...referrers }, seen.mayFind);
};
