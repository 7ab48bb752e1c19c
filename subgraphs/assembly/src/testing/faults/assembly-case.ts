import type { AssemblyRequest } from '@fds/assembly-contract';
import type { AccessRule } from '@fds/access-rules';
import type { JsonObject } from '@fds/json';
import type { Random } from '@fds/testing';
import { propertyNames, type World } from './world.js';

/** The behaviour of an adaptor in a case. */
export type Behaviour =
  | 'ANSWER'
  /** Sends its answer after the end of the assembly. */
  | 'LATE'
  | 'GOES_DOWN'
  | 'ERROR'
  | 'ERROR_AFTER_PART'
  | 'HUGE'
  | 'UNREADABLE'
  | 'EMPTY'
  | 'PART_MISSING'
  | 'NOT_ENDED';

export interface AssemblyCase {
  readonly request: AssemblyRequest;
  /** The rules of each role of the caller; undefined when the caller may see everything. */
  readonly roles: readonly (readonly AccessRule[])[] | undefined;
  /** By adaptor uuid. */
  readonly behaviours: ReadonlyMap<string, Behaviour>;
}

const behaviours: readonly Behaviour[] = [
  ...Array.from({ length: 12 }, () => 'ANSWER' as const),
  'LATE',
  'LATE',
  'LATE',
  'GOES_DOWN',
  'ERROR',
  'ERROR_AFTER_PART',
  'HUGE',
  'UNREADABLE',
  'EMPTY',
  'PART_MISSING',
  'NOT_ENDED',
];

const paths = [...propertyNames, 'address.city', 'ADDRESS.geo.lon', 'address.GEO', 'tags.label', 'Tags.Weight'];

const respelled = (random: Random, name: string): string =>
  random.pick([name, name, name.toUpperCase(), name.toLowerCase()]);

const randomRule = (random: Random, { zoneUuids, adaptors, records }: World): AccessRule => ({
  effect: random.pick(['ALLOW', 'DENY'] as const),
  actions: random.pick([null, null, ['GET'], ['DELETE']] as const),
  zoneUuid: random.pick([null, null, null, ...zoneUuids]),
  adaptorUuid: random.chance(0.3) ? random.pick(adaptors).uuid : null,
  domainUuid: null,
  domainVersionUuid: null,
  properties: random.chance(0.7) ? random.some(propertyNames, 0.4).map((name) => respelled(random, name)) : null,
  drUuids: random.chance(0.25) ? random.some(records, 0.4).map(({ uuid }) => uuid) : null,
});

const randomLists = (random: Random, { adaptors }: World): Partial<AssemblyRequest> => {
  const uuids = (): string[] => random.some(adaptors, 0.5).map(({ uuid }) => uuid);
  const kind = random.below(6);
  if (kind === 0) return { adaptors: uuids() };
  if (kind === 1) return { goldAdaptors: uuids(), silverAdaptors: uuids() };
  if (kind === 2) return { adaptors: uuids(), goldAdaptors: uuids(), bronzeAdaptors: uuids() };
  return {};
};

const randomParams = (random: Random): JsonObject | undefined => {
  if (random.chance(0.8)) return random.chance(0.1) ? { timestamp: 5, depth: 'own' } : undefined;
  return {
    'timestamp-search': true,
    ...(random.chance(0.5) ? { 'timestamp-ascending': random.chance(0.5) } : {}),
    ...(random.chance(0.5) ? { 'timestamp-max': random.below(4) } : {}),
  };
};

export const randomCase = (random: Random, world: World): AssemblyCase => {
  const params = randomParams(random);
  const rule = (): AccessRule => randomRule(random, world);
  const rules = (): AccessRule[] => Array.from({ length: 1 + random.below(3) }, rule);
  return {
    request: {
      zoneUuid: world.zoneUuids[0],
      domain: world.domain,
      timeout: 600,
      size: 100,
      releasePolicy: random.pick(['GOLD', 'GOLD_SILVER', 'ASAP'] as const),
      ...randomLists(random, world),
      ...(random.chance(0.5)
        ? { requestedProperties: random.some(paths, 0.4).map((path) => respelled(random, path)) }
        : {}),
      ...(params === undefined ? {} : { additionalParams: params }),
      options: { provenance: random.chance(0.8) },
    },
    roles: random.chance(0.6) ? undefined : random.chance(0.7) ? [rules()] : [rules(), rules()],
    behaviours: new Map(world.adaptors.map(({ uuid }) => [uuid, random.pick(behaviours)])),
  };
};
