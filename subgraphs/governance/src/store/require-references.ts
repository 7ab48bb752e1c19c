import type { PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import type { NewEntry } from '../domain/new-entries.js';

type Selector =
  'sourceZoneUuid' | 'destinationZoneUuid' | 'sourceAdaptorUuid' | 'destinationAdaptorUuid' | 'domainVersionUuid';

type Find = (tx: PrismaTransaction, uuids: string[]) => Promise<{ readonly uuid: string }[]>;

interface Reference {
  readonly resource: string;
  readonly selectors: readonly Selector[];
  readonly find: Find;
}

const references: readonly Reference[] = [
  {
    resource: 'zone',
    selectors: ['sourceZoneUuid', 'destinationZoneUuid'],
    find: (tx, uuids) => tx.zone.findMany({ where: { uuid: { in: uuids } }, select: { uuid: true } }),
  },
  {
    resource: 'adaptor',
    selectors: ['sourceAdaptorUuid', 'destinationAdaptorUuid'],
    find: (tx, uuids) => tx.adaptor.findMany({ where: { uuid: { in: uuids } }, select: { uuid: true } }),
  },
  {
    resource: 'domain version',
    selectors: ['domainVersionUuid'],
    find: (tx, uuids) => tx.domainVersion.findMany({ where: { uuid: { in: uuids } }, select: { uuid: true } }),
  },
];

/**
 * What the entries name must exist when they are saved.
 *
 * @throws AppError UNKNOWN_REFERENCE with a pointer into the list for every unknown uuid
 */
export const requireReferences = async (tx: PrismaTransaction, entries: readonly NewEntry[]): Promise<void> => {
  const named = references.map(({ resource, selectors, find }) => ({
    find,
    places: entries.flatMap((entry, index) =>
      selectors.flatMap((selector) => {
        const uuid = entry[selector];
        return uuid === null ? [] : [{ uuid, pointer: `/${index}/${selector}`, resource }];
      }),
    ),
  }));
  const errors = [];
  for (const { find, places } of named) {
    if (places.length === 0) continue;
    const found = await find(tx, [...new Set(places.map((place) => place.uuid))]);
    const known = new Set(found.map(({ uuid }) => uuid));
    for (const { uuid, pointer, resource } of places) {
      if (known.has(uuid)) continue;
      errors.push({ pointer, code: 'UNKNOWN_REFERENCE', detail: `there is no ${resource} ${uuid}` });
    }
  }
  if (errors.length > 0) throw new AppError('UNKNOWN_REFERENCE', 'an entry names what does not exist', { errors });
};
