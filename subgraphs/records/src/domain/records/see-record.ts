import { maskMembers, type Visible } from '@fds/access-rules';
import type { DomainVersionView } from '../catalog.js';
import type { KnownContent } from '../routing/known-content.js';
import type { LinkState, RecordState } from './record-book.js';
import { showsAll, type RecordSight } from './record-sight.js';
import type { RemovedLink } from './removed-links.js';

/** The digest of a key that may not be seen: no lookup asks for it. */
const hiddenDigest = 'hidden';

/** The content that an adaptor is known to hold, without the properties that the caller may not see. */
const seeKnown = (known: KnownContent, { names }: Visible): KnownContent => ({
  ...known,
  hashes: Object.fromEntries(Object.entries(known.hashes).filter(([name]) => names.has(name))),
  failed: Object.fromEntries(Object.entries(known.failed).filter(([name]) => names.has(name))),
  skipped: Object.fromEntries(Object.entries(known.skipped).filter(([name]) => names.has(name))),
  sent: [],
  withheld: known.withheld.filter((name) => names.has(name)),
});

const seeLink = (version: DomainVersionView, link: LinkState, visible: Visible): LinkState => ({
  ...link,
  ...(showsAll(visible, version.model.drKeyProperties) ? {} : { keyDigest: hiddenDigest }),
  drKey: maskMembers(link.drKey, visible),
  known: seeKnown(link.known, visible),
});

const isAllSeen = (sight: RecordSight, version: DomainVersionView, { uuid, links, expected }: RecordState): boolean =>
  sight.own(version, uuid).extent === 'ALL' &&
  [...links.keys(), ...expected.keys()].every((adaptorUuid) => sight.at(version, uuid, adaptorUuid).extent === 'ALL');

/**
 * A record as the caller may see it: without links that are hidden, and without keys, values and hashes of properties that are.
 * A decision over it does not depend on what is hidden.
 *
 * @returns undefined when the record is hidden from the caller
 */
export const seeRecord = (
  sight: RecordSight,
  version: DomainVersionView,
  record: RecordState,
): RecordState | undefined => {
  if (isAllSeen(sight, version, record)) return record;
  const { uuid, drKey, json } = record;
  const own = sight.own(version, uuid);
  const isFederated = version.domainType === 'FEDERATED';
  const at = (adaptorUuid: string): Visible => sight.at(version, uuid, adaptorUuid);
  const links = new Map(
    [...record.links].flatMap(([adaptorUuid, link]): [string, LinkState][] => {
      const visible = at(adaptorUuid);
      return visible.extent === 'NONE' ? [] : [[adaptorUuid, seeLink(version, link, visible)]];
    }),
  );
  if (isFederated && record.links.size > 0 ? links.size === 0 : own.extent === 'NONE') return undefined;

  // the key of a federated record is that of a link, as long as there is one
  const isKeySeen =
    isFederated && record.links.size > 0
      ? [...links.values()].some(({ keyDigest }) => keyDigest === record.keyDigest)
      : showsAll(own, version.model.drKeyProperties);
  const ownKey = isFederated && record.links.size > 0 ? {} : maskMembers(drKey, own);
  const hidden = json === null || own.extent === 'ALL' ? undefined : { json, visible: own.names };
  return {
    ...record,
    ...(isKeySeen ? {} : { keyDigest: hiddenDigest }),
    drKey: isKeySeen ? drKey : ownKey,
    json: json === null ? null : maskMembers(json, own),
    links,
    expected: new Map(
      [...record.expected].flatMap(([adaptorUuid, known]): [string, KnownContent][] => {
        const visible = at(adaptorUuid);
        return visible.extent === 'NONE' ? [] : [[adaptorUuid, seeKnown(known, visible)]];
      }),
    ),
    ...(hidden === undefined ? {} : { hidden }),
  };
};

/** A removed link as far as the caller may see it. */
export const seeRemovedLink = (
  sight: RecordSight,
  version: DomainVersionView,
  link: RemovedLink,
): RemovedLink | undefined => {
  const visible = sight.at(version, link.recordUuid, link.adaptorUuid);
  if (!showsAll(visible, version.model.drKeyProperties)) return undefined;
  return visible.extent === 'ALL' ? link : { ...link, known: seeKnown(link.known, visible) };
};
