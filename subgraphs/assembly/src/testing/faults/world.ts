import type { Tier } from '@fds/assembly-contract';
import type { Random } from '@fds/testing';

const text = { type: 'string' };

/** The model of every world. One property has the name of a member of Object, and spellings differ. */
export const properties = {
  id: { type: 'integer' },
  name: text,
  Phone: text,
  street: text,
  city: text,
  zip: { type: 'integer' },
  score: { type: 'number' },
  active: { type: 'boolean' },
  address: {
    type: 'object',
    properties: {
      City: text,
      geo: { type: 'object', properties: { lat: { type: 'number' }, lon: { type: 'number' } } },
    },
  },
  tags: { type: 'array', items: { type: 'object', properties: { label: text, weight: { type: 'integer' } } } },
  constructor: text,
};

export const propertyNames = Object.keys(properties);

export interface WorldAdaptor {
  readonly uuid: string;
  /** Not unique. */
  readonly name: string;
  readonly zoneUuid: string;
  readonly isDown: boolean;
  /** The preference of the asking zone. */
  readonly preferred: Tier | undefined;
}

interface WorldLink {
  readonly recordUuid: string;
  readonly adaptorUuid: string;
  /** `id` of the record in the adaptor. */
  readonly key: number;
  /** Epoch ms. */
  readonly lastUpdated: number;
}

/** An entry of a chain that affects GET. */
export interface WorldEntry {
  readonly uuid: string;
  readonly chain: 'INBOUND' | 'OUTBOUND';
  readonly zoneUuid: string;
  readonly position: number;
  readonly sourceZoneUuid: string | null;
  readonly sourceAdaptorUuid: string | null;
  readonly destinationZoneUuid: string | null;
  readonly properties: readonly string[];
  readonly get: 'ALLOW' | 'DENY';
  /** Empty: all. */
  readonly drUuids: readonly string[];
}

/** A federated domain with its adaptors, records and governance. */
export interface World {
  readonly domainUuid: string;
  readonly domain: string;
  readonly versionUuid: string;
  /** The first zone is the asking zone. */
  readonly zoneUuids: readonly [string, string, string];
  readonly adaptors: readonly WorldAdaptor[];
  readonly records: readonly { readonly uuid: string; readonly key: number }[];
  readonly links: readonly WorldLink[];
  readonly groups: readonly (readonly string[])[];
  readonly entries: readonly WorldEntry[];
}

const randomEntry = (
  random: Random,
  position: number,
  { zoneUuids, adaptors, records }: Pick<World, 'zoneUuids' | 'adaptors' | 'records'>,
): WorldEntry => {
  const [home] = zoneUuids;
  const chain = random.pick(['INBOUND', 'OUTBOUND'] as const);
  const zoneUuid = chain === 'INBOUND' ? home : random.pick(zoneUuids);
  const otherZone = random.pick([null, null, ...zoneUuids]);
  return {
    uuid: random.uuid(),
    chain,
    zoneUuid,
    position,
    sourceZoneUuid: chain === 'INBOUND' ? otherZone : zoneUuid,
    sourceAdaptorUuid: random.chance(0.5) ? random.pick(adaptors).uuid : null,
    destinationZoneUuid: chain === 'INBOUND' ? zoneUuid : otherZone,
    properties: random.chance(0.7) ? random.some(propertyNames, 0.3) : [],
    get: random.pick(['ALLOW', 'DENY', 'DENY'] as const),
    drUuids: random.chance(0.25) ? random.some(records, 0.3).map(({ uuid }) => uuid) : [],
  };
};

export const randomWorld = (random: Random): World => {
  const zoneUuids = [random.uuid(), random.uuid(), random.uuid()] as const;
  const adaptors = Array.from({ length: 1 + random.below(6) }, (): WorldAdaptor => ({
    uuid: random.uuid(),
    name: random.pick(['ant', 'bee', 'cat', 'dog']),
    zoneUuid: random.pick([zoneUuids[0], ...zoneUuids]),
    isDown: random.chance(0.1),
    preferred: random.pick([undefined, 'GOLD', 'GOLD', 'SILVER', 'BRONZE'] as const),
  }));
  const records = Array.from({ length: 1 + random.below(6) }, (_, index) => ({ uuid: random.uuid(), key: index + 1 }));
  const links = records.flatMap(({ uuid, key }) =>
    adaptors.flatMap((adaptor, index): WorldLink[] =>
      random.chance(0.75)
        ? [
            {
              recordUuid: uuid,
              adaptorUuid: adaptor.uuid,
              key: key + (random.chance(0.3) ? 1000 * (index + 1) : 0),
              lastUpdated: 1000 * (1 + random.below(3)),
            },
          ]
        : [],
    ),
  );
  const entryCount = random.chance(0.5) ? 0 : 1 + random.below(4);
  const placed = { zoneUuids, adaptors, records };
  return {
    ...placed,
    domainUuid: random.uuid(),
    domain: `d${random.uuid().replaceAll('-', '')}`,
    versionUuid: random.uuid(),
    links,
    groups: random.pick([
      [],
      [['street', 'city', 'zip']],
      [
        ['street', 'city', 'zip'],
        ['name', 'constructor'],
      ],
    ]),
    entries: Array.from({ length: entryCount }, (_, position) => randomEntry(random, position, placed)),
  };
};
