import type { PrismaTransaction } from '@fds/database';
import type { ErrorCause } from '@fds/errors';
import type { AclInput } from '../domain/acl-input.js';

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

/** What inputs name and does not exist: UNKNOWN_REFERENCE with a pointer into the list for every such uuid. */
export const unknownReferences = async (
  tx: PrismaTransaction,
  inputs: readonly AclInput[],
): Promise<readonly ErrorCause[]> => {
  const named = references.map(({ resource, selectors, find }) => ({
    find,
    places: inputs.flatMap((input, index) =>
      selectors.flatMap((selector) => {
        const uuid = input[selector] ?? null;
        return uuid === null ? [] : [{ uuid, pointer: `/${index}/${selector}`, resource }];
      }),
    ),
  }));
  const errors: ErrorCause[] = [];
  for (const { find, places } of named) {
    if (places.length === 0) continue;
    const found = await find(tx, [...new Set(places.map((place) => place.uuid))]);
    const known = new Set(found.map(({ uuid }) => uuid));
    for (const { uuid, pointer, resource } of places) {
      if (known.has(uuid)) continue;
      errors.push({ pointer, code: 'UNKNOWN_REFERENCE', detail: `there is no ${resource} ${uuid}` });
    }
  }
  return errors;
};
