import type { AppliedAcl } from '@fds/governance-rules';
import type { AdaptorView, Catalog, DomainVersionView } from '../catalog.js';
import type { Consultation } from './count-decisions.js';
import { awaitsDeletion, type KnownContent } from './known-content.js';
import type { ContentHashes } from './content-hashes.js';

/** Why an adaptor is sent nothing about an event, in the order of precedence. */
export type NotSentReason =
  'SOURCE' | 'DISCOVERY' | 'ECHO' | 'OPERATIONAL' | 'INACTIVE' | 'NOT_CAPABLE' | 'DENIED' | 'NOTHING_NEW' | 'TOO_LARGE';

/** A property that governance keeps from a destination, with the entry that does. Null: an earlier event decided it. */
export interface RemovedProperty {
  readonly property: string;
  readonly chain: AppliedAcl['chain'] | null;
  readonly aclUuid: string | null;
}

/** The decision on one adaptor that has a capability for the version of an event, as it is kept with the event. */
export interface DestinationNote {
  readonly adaptorUuid: string;
  /** Null: it is sent a message. */
  readonly reason: NotSentReason | null;
  /** The action of its message. Undefined: no message was considered. */
  readonly action?: 'POST' | 'PUT' | 'DELETE' | undefined;
  /** The entry that denies the message. */
  readonly by?: Pick<AppliedAcl, 'chain' | 'aclUuid'> | undefined;
  /** Names of the properties that are new to it, as far as the message has them. Undefined: all that the message has. */
  readonly changed?: readonly string[] | undefined;
  /** Those that would have been new to it. */
  readonly removed?: readonly RemovedProperty[];
}

/** The properties that governance removes from a message, as far as they would be new to the destination. */
export const removedFrom = (
  consulted: readonly Consultation[],
  removedProperties: readonly string[],
  content: ContentHashes,
  known: KnownContent | undefined,
): readonly RemovedProperty[] => {
  if (removedProperties.length === 0) return [];
  const hashes = awaitsDeletion(known) ? undefined : known?.hashes;
  const denials = consulted.flatMap(({ decision }) => decision.applied.filter(({ result }) => result === 'DENY'));
  return removedProperties.flatMap((property) => {
    if (hashes !== undefined && hashes[property] === content[property]) return [];
    const by = denials.find(({ properties }) => properties.includes(property));
    return { property, chain: by?.chain ?? null, aclUuid: by?.aclUuid ?? null };
  });
};

/** Does the discovery mode of an adaptor keep a change of the record from it? */
export const isDiscovering = (
  { discoveryMode }: AdaptorView,
  known: KnownContent | undefined,
  creates: boolean | undefined,
): boolean => discoveryMode && known === undefined && creates !== true;

/** The notes on adaptors that have a capability for the version and can be sent no event about it. */
export const noteBystanders = (
  catalog: Pick<Catalog, 'bystanders'>,
  version: DomainVersionView,
  sourceUuid: string | null,
  discovers: (adaptor: AdaptorView) => boolean = () => false,
): readonly DestinationNote[] =>
  catalog.bystanders(version).map((adaptor) => ({
    adaptorUuid: adaptor.uuid,
    reason:
      adaptor.uuid === sourceUuid
        ? 'SOURCE'
        : discovers(adaptor)
          ? 'DISCOVERY'
          : adaptor.active
            ? 'NOT_CAPABLE'
            : 'INACTIVE',
  }));

/** The notes of an event that goes to no adaptor, for one reason. */
export const noteAll = (
  catalog: Pick<Catalog, 'destinations' | 'bystanders'>,
  version: DomainVersionView,
  sourceUuid: string | null,
  { reason, by }: Pick<DestinationNote, 'reason' | 'by'>,
): readonly DestinationNote[] =>
  [...catalog.destinations(version), ...catalog.bystanders(version)].map(({ uuid, active }) => {
    if (uuid === sourceUuid) return { adaptorUuid: uuid, reason: 'SOURCE' };
    // this reason comes before the other
    if (reason === 'DENIED' && !active) return { adaptorUuid: uuid, reason: 'INACTIVE' };
    return by === undefined ? { adaptorUuid: uuid, reason } : { adaptorUuid: uuid, reason, by };
  });

/** The notes of an event that was meant for some adaptors only, with those on the others. */
export const completeNotes = (
  catalog: Pick<Catalog, 'destinations' | 'bystanders'>,
  version: DomainVersionView,
  sourceUuid: string | null,
  notes: readonly DestinationNote[],
): readonly DestinationNote[] => {
  const noted = new Set(notes.map(({ adaptorUuid }) => adaptorUuid));
  const others = [
    ...catalog.destinations(version).map(({ uuid }): DestinationNote => ({
      adaptorUuid: uuid,
      reason: uuid === sourceUuid ? 'SOURCE' : 'NOTHING_NEW',
    })),
    ...noteBystanders(catalog, version, sourceUuid),
  ];
  return [...notes, ...others.filter(({ adaptorUuid }) => !noted.has(adaptorUuid))];
};
