import { eventually } from '@fds/testing';
import {
  allActions,
  createAdaptor,
  createVersion,
  requireStatus,
  type CreatedAdaptor,
  type CreatedVersion,
} from '../../harness/catalogue.js';
import type { Leftovers } from '../../harness/leftovers.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import type { Doors, Resource } from '../open-doors.js';

/** A deployment with at least one resource of every kind, all of them in the zone Root. */
export interface StockedDeployment {
  /** Uuids of resources, by the placeholder that names them in paths. */
  readonly known: Readonly<Record<string, string>>;
  /** Is connected, and serves the domains `stored` and `linked`. */
  readonly adaptor: CreatedAdaptor;
  /** Name of a FEDERATED domain with a record of the adaptor. */
  readonly federated: string;
}

const createVersions = async ({ dgs }: Doors): Promise<Record<'stored' | 'linked', CreatedVersion>> => {
  const specification = {
    properties: { id: { type: 'string' }, size: { type: 'integer' } },
    drKeyProperties: ['id'],
  };
  const stored = await createVersion(dgs, { ...specification, name: 'stored', domainType: 'SERVICE_DATA_STORE' });
  const linked = await createVersion(dgs, { ...specification, name: 'linked', domainType: 'FEDERATED' });
  return { stored, linked };
};

/** An adaptor with a record of `linked`, and with four events that became issues. */
const createEvents = async ({ dgs, root, service }: Doors, leftovers: Leftovers): Promise<CreatedAdaptor> => {
  const capabilities = [...allActions('stored'), ...allActions('linked')];
  const adaptor = await createAdaptor(dgs, root, { name: 'Own', capabilities });
  const source = await startSourceAdaptor(leftovers, service, adaptor, { apply: () => undefined });
  await eventually(async () => {
    const { body } = await dgs.rest('GET', `/zones/${root}/adaptors/${adaptor.uuid}`);
    if (body['state'] !== 'STARTED') throw new Error(`the adaptor is ${String(body['state'])}`);
  });
  await source.publish({ action: 'POST', domain: 'linked', version: 1, json: { id: 'b', size: 1 } });
  for (const id of ['bad', 'worse', 'worst', 'wrong']) {
    await source.publish({ action: 'POST', domain: 'stored', version: 1, json: { id, size: 'many' } });
  }
  await eventually(async () => {
    const { body } = await dgs.rest<{ issues: readonly Resource[] }>('GET', `/zones/${root}/issues`);
    if (body.issues.length !== 4) throw new Error(`there are ${body.issues.length} issues`);
  });
  return adaptor;
};

/** A role with a data access rule and a group, both with the first user of Root as their member. */
const createHolders = async ({ admin, root }: Doors): Promise<Readonly<Record<string, string>>> => {
  const { users } = requireStatus(
    await admin.rest<{ users: readonly (Resource & { userUuid: string })[] }>('GET', `/zones/${root}/users`),
    200,
  ).body;
  const [user] = users;
  if (user === undefined) throw new Error('the zone Root has no users');
  const create = async (collection: 'roles' | 'groups', name: string): Promise<string> =>
    requireStatus(await admin.rest('POST', `/zones/${root}/${collection}`, { name }), 201).body.uuid;
  const roleUuid = await create('roles', 'Readers');
  const groupUuid = await create('groups', 'All');
  for (const holder of [`roles/${roleUuid}`, `groups/${groupUuid}`]) {
    requireStatus(await admin.rest('POST', `/zones/${root}/${holder}/users`, [user.uuid]), 201);
  }
  const rule = { effect: 'ALLOW', actions: ['GET'] };
  requireStatus(await admin.rest('POST', `/zones/${root}/roles/${roleUuid}/data-access-rules`, rule), 201);
  return { roleUuid, groupUuid, user: user.userUuid };
};

const registration = {
  callback: 'https://receiver.example/stocked',
  callbackType: 'WEB_HOOK',
  // no such event happens, so nothing is sent
  events: [{ resource: '/operational-acls/entries/nothing', actions: ['DELETE'] }],
  httpHeaders: [{ name: 'X-Stocked', value: 'yes' }],
};

/** Creates at least one resource of every kind. */
export const stockDeployment = async (doors: Doors, leftovers: Leftovers): Promise<StockedDeployment> => {
  const { admin, dgs, root } = doors;
  const { stored, linked } = await createVersions(doors);
  const adaptor = await createEvents(doors, leftovers);
  const sent = { name: 'stored', json: { id: 'a', size: 1 } };
  const drUuid = requireStatus(await dgs.rest('POST', '/drs', sent), 201).body.uuid;
  await eventually(async () =>
    requireStatus(await dgs.rest<unknown>('GET', `/drs/${drUuid}/adaptor/${adaptor.uuid}/check`), 200),
  );
  const entry = { name: 'Entry', get: 'DENY', active: false };
  requireStatus(await admin.rest('POST', `/zones/${root}/inbound-acls`, entry), 201);
  requireStatus(await admin.rest('POST', `/zones/${root}/outbound-acls`, entry), 201);
  const { domainUuid, domainVersionUuid } = stored;
  requireStatus(
    await dgs.rest('POST', `/zones/${root}/settings/domain-version-adaptor-preferences`, {
      adaptorUuid: adaptor.uuid,
      domainVersionUuid,
      preferenceType: 'GOLD',
    }),
    201,
  );
  requireStatus(await dgs.rest('POST', '/operational-acls/entries', { name: 'Entry', post: 'ALLOW' }), 201);
  requireStatus(await dgs.rest<unknown>('PUT', '/notifications', registration), 204);
  const { notifications } = requireStatus(
    await dgs.rest<{ notifications: readonly { readonly notificationId: string }[] }>('GET', '/notifications'),
    200,
  ).body;
  const jobs = `/zones/${root}/adaptors/${adaptor.uuid}/reconciliations`;
  const { uuid: job } = requireStatus(await dgs.rest('POST', jobs, { domainVersionUuid }), 202).body;
  requireStatus(await dgs.rest<unknown>('DELETE', `${jobs}/${job}`), 204);
  requireStatus(await dgs.rest('POST', `/zones/${root}/adaptors/${adaptor.uuid}/redeliveries`, { from: 0 }), 202);
  const holders = await createHolders(doors);
  const known = {
    ...holders,
    zoneUuid: root,
    adaptorUuid: adaptor.uuid,
    adaptorOrPreferenceUuid: adaptor.uuid,
    domainUuid,
    domainVersionUuid,
    drUuid,
    id: drUuid,
    notificationId: notifications[0]?.notificationId ?? '',
  };
  return { known, adaptor, federated: linked.domainName };
};
