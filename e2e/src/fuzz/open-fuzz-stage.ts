import { openHostileAdaptor, type HostileAdaptor } from '../faults/hostile/open-hostile-adaptor.js';
import { openDoors, type Doors } from '../doors/open-doors.js';
import { allActions, createAdaptor, createVersion, requireStatus, type CreatedVersion } from '../harness/catalogue.js';
import type { Leftovers } from '../harness/leftovers.js';

/** Properties of every type. The DR Key has one of each type that is allowed in it. */
const properties = {
  id: { type: 'string' },
  count: { type: 'integer' },
  share: { type: 'number' },
  open: { type: 'boolean' },
  day: { type: 'string', format: 'date' },
  at: { type: 'string', format: 'date-time' },
  mail: { type: 'string', format: 'email' },
  state: { type: 'string', enum: ['new', 'old'] },
  code: { type: 'string', pattern: '^[a-z]+$', maxLength: 20 },
  inner: { type: 'object', properties: { text: { type: 'string' }, number: { type: 'integer' } } },
  list: { type: 'array', items: { properties: { text: { type: 'string' } } } },
} as const;

const drKeyProperties = ['id', 'count', 'share', 'open'] as const;

/** A valid record of both domains of the stage. */
export const validRecord = {
  id: 'a',
  count: 1,
  share: 0.5,
  open: true,
  day: '2026-01-31',
  at: '2026-01-31T12:00:00Z',
  mail: 'ada@example.org',
  state: 'new',
  code: 'abc',
  inner: { text: 'x', number: 1 },
  list: [{ text: 'y' }],
} as const;

/** A service with a data-store domain, a federated domain, a few records, and adaptors without the SDK. */
export interface FuzzStage {
  readonly doors: Doors;
  readonly store: CreatedVersion;
  readonly federated: CreatedVersion;
  /** Each adaptor is used by one loop at a time. */
  readonly adaptors: readonly HostileAdaptor[];
}

/** Starts the service with the watches over its prototypes and its pieces of work. The leftovers end it. */
export const openFuzzStage = async (
  leftovers: Leftovers,
  adaptorCount: number,
  preload = 'e2e/dist/fuzz/watch-pieces.js',
): Promise<FuzzStage> => {
  const doors = await openDoors(leftovers, {}, preload);
  const { dgs, service, root } = doors;
  const [store, federated] = [
    await createVersion(dgs, { name: 'store', domainType: 'SERVICE_DATA_STORE', properties, drKeyProperties }),
    await createVersion(dgs, { name: 'federated', domainType: 'FEDERATED', properties, drKeyProperties }),
  ];
  for (let count = 0; count < 20; count += 1)
    requireStatus(await dgs.rest('POST', '/drs', { name: 'store', json: { ...validRecord, count } }), 201);
  const adaptors: HostileAdaptor[] = [];
  for (let index = 0; index < adaptorCount; index += 1) {
    const capabilities = [...allActions('store'), ...allActions('federated')];
    const adaptor = await createAdaptor(dgs, root, { name: `Fuzz ${index}`, capabilities });
    adaptors.push(await openHostileAdaptor(leftovers, service.busUrl, adaptor));
  }
  return { doors, store, federated, adaptors };
};
