import { maskMembers, type Visible } from '@fds/access-rules';
import type { JsonObject } from '@fds/json';
import type { ReferenceTarget } from '@fds/model-schema';
import type { DomainVersionView } from '../catalog.js';
import { hasKeyPart } from './has-key-part.js';
import { showsAll, type RecordSight } from './record-sight.js';

/** A key by which a record is known. */
interface KnownKey {
  /** Hexadecimal. */
  readonly keyDigest: string;
  readonly drKey: JsonObject;
}

/** A record with all keys that it is known by. */
export interface KeyedRecord extends KnownKey {
  readonly uuid: string;
  readonly links: readonly (KnownKey & { readonly adaptorUuid: string })[];
}

/** The record as each holder has it, and the visible part of that data. */
const viewsOf = (
  sight: RecordSight,
  version: DomainVersionView,
  { uuid, links, keyDigest, drKey }: KeyedRecord,
): readonly (KnownKey & { readonly visible: Visible })[] => {
  const linked = links.map((link) => ({ ...link, visible: sight.at(version, uuid, link.adaptorUuid) }));
  // a federated record with a link has the key of its link only
  return version.domainType === 'FEDERATED' && links.length > 0
    ? linked
    : [{ keyDigest, drKey, visible: sight.own(version, uuid) }, ...linked];
};

/** May a lookup find the record? Only by properties that the caller sees in that very record. */
export const mayFind = (
  sight: RecordSight,
  version: DomainVersionView,
  record: KeyedRecord,
  target: ReferenceTarget,
): boolean =>
  viewsOf(sight, version, record).some(({ visible, keyDigest, drKey }) => {
    if (target.kind === 'UUID') return visible.extent !== 'NONE';
    if (target.kind === 'KEY') {
      return keyDigest === target.keyDigest && showsAll(visible, version.model.drKeyProperties);
    }
    return hasKeyPart(drKey, target.part) && showsAll(visible, Object.keys(target.part));
  });

/** The visible part of the record's DR Key. */
export const seeKey = (sight: RecordSight, version: DomainVersionView, record: KeyedRecord): JsonObject => {
  const seen = viewsOf(sight, version, record).find(({ visible }) => visible.extent !== 'NONE');
  return seen === undefined ? {} : maskMembers(seen.drKey, seen.visible);
};
