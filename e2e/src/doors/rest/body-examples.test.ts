import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Operation } from '../../harness/contract/api-document.js';
import { contractOf } from '../../harness/contract/hold-to-contract.js';
import { requireStatus } from '../../harness/catalogue.js';
import { exchange, type RawAnswer, type Sent } from '../../harness/exchange.js';
import { openWebhookReceiver } from '../../harness/webhook-receiver.js';
import type { Resource } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';
import { resolvePath } from './resolve-path.js';
import { stockDeployment } from './stock-deployment.js';

/** Placeholder in examples for the uuid of an existing resource. */
const sampleUuid = '019a5d2e-0000-7000-8000-000000000001';

/** Bodies without a general example, because an identity provider issues the code. */
const withoutExample = ['exchangeLoginCode'];

/** Members of examples that name a resource, with the path placeholder for a resource of the same kind. */
const placeholders: Readonly<Record<string, string>> = { holderUuid: 'roleUuid' };

/** Operations whose body is a list of uuids, with the path placeholder for a resource of the same kind. */
const listed: Readonly<Record<string, string>> = {
  addInboundAclRecords: 'drUuid',
  addOutboundAclRecords: 'drUuid',
  replaceGroupUsers: 'zoneUserUuid',
  replaceRoleUsers: 'zoneUserUuid',
};

/** Query strings of operations that require one. */
const queries: Readonly<Record<string, string>> = { importDataRecords: '?filters=name:person' };

/** Operations that also remove resources of other examples, because they replace a whole list. */
const removesOthers = new Set(['replaceRole', 'replaceDataAccessRules', 'replaceAdaptorPreferences']);

/**
 * Creation comes first: other examples replace the created resources. PATCH follows PUT: it adds properties, which the
 * examples of PUT would remove.
 */
const rankOf = ({ operationId, method, responses }: Operation): number => {
  if (removesOthers.has(operationId)) return 4;
  if (method === 'POST') return responses.has('201') ? 0 : 1;
  return method === 'PUT' ? 2 : 3;
};

interface Registrations {
  readonly notifications: readonly { readonly notificationId: string; readonly callback: string }[];
}

/** The path of the list that a resource is in. */
const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

describe('every example of a body in the OpenAPI document', () => {
  const { doors, leftovers } = setUpDoors({ FDS_WEBHOOK_ALLOW_PRIVATE: 'true' });
  let operations: readonly Operation[];
  /** Uuids of resources of a stocked deployment, by placeholder. */
  let stocked: Readonly<Record<string, string>>;
  /** Uuids by placeholder like `stocked`, but resources that an example created take precedence. */
  const known: Record<string, string> = {};
  /** Uuids of resources that examples created, by the path of their list. */
  const created = new Map<string, string>();

  /** A registration that is not refused: its receiver can be reached. */
  const register = async (): Promise<string | undefined> => {
    const { url } = await openWebhookReceiver(leftovers);
    const events = [{ resource: '/domains/?', actions: ['DELETE'] }];
    requireStatus(
      await doors.dgs.rest('PUT', '/notifications', { callback: url, callbackType: 'WEB_HOOK', events }),
      204,
    );
    const { body } = await doors.dgs.rest<Registrations>('GET', '/notifications');
    return body.notifications.find(({ callback }) => callback === url)?.notificationId;
  };

  /** Removes preferences, because an adaptor has one preference for a version and an example sets it. */
  const removePreferences = async (): Promise<void> => {
    const path = `/zones/${doors.root}/settings/domain-version-adaptor-preferences`;
    requireStatus(await doors.dgs.rest<unknown>('PUT', path, []), 200);
  };

  beforeAll(async () => {
    ({ operations } = await contractOf(doors.service.baseUrl));
    stocked = (await stockDeployment(doors, leftovers)).known;
    Object.assign(known, stocked, { notificationId: await register() });
    await removePreferences();
  }, 120_000);

  /** The path to a resource that an example created, otherwise to one of the stocked deployment. */
  const pathOf = async ({ operationId, path }: Operation): Promise<string> => {
    const own = created.get(parentOf(path));
    const last = /\{(\w+)\}$/.exec(path)?.[1];
    const uuids = path.includes('/issues') ? stocked : known;
    const target = own === undefined || last === undefined ? uuids : { ...uuids, [last]: own };
    const resolved = await resolvePath(path, target, [doors.dgs, doors.admin]);
    if (resolved === undefined) throw new Error(`no resource at ${path}`);
    return `${resolved}${queries[operationId] ?? ''}`;
  };

  const send = async ({ method, door }: Operation, path: string, sent: Sent): Promise<RawAnswer<Resource>> => {
    const { service, dgs, admin } = doors;
    const address = door === 'api' ? `${service.baseUrl}/api` : service.assemblyUrl;
    const as = ({ token = '' }: { readonly token: string | undefined }) =>
      exchange<Resource>(`${address}${path}`, { method, token, ...sent });
    const answer = await as(dgs);
    return answer.status === 403 ? as(admin) : answer;
  };

  /** Replaces the uuids in an example by uuids of existing resources. */
  const fill = (value: unknown, name: string, uuids = known): unknown => {
    if (Array.isArray(value)) return value.map((item) => fill(item, name, uuids));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fill(member, key, uuids)]));
    return value === sampleUuid ? uuids[placeholders[name] ?? name] : value;
  };

  /** The example as a reader sends it: with uuids of existing resources, and with the version of the target. */
  const bodyOf = async (operation: Operation, path: string, example: unknown): Promise<unknown> => {
    // the connected adaptor has no capability for a version that an example created
    const uuids = operation.operationId === 'startReconciliation' ? stocked : known;
    const filled = fill(example, listed[operation.operationId] ?? '', uuids);
    if (operation.method === 'POST' || !Object.hasOwn(filled as object, 'changeVersion')) return filled;
    const { body } = await send({ ...operation, method: 'GET' }, path, {});
    return { ...(filled as object), changeVersion: body.changeVersion };
  };

  const noteCreated = ({ path }: Operation, { status, body }: RawAnswer<Resource>): void => {
    if (status !== 201 || typeof body.uuid !== 'string') return;
    // preferences are set by the uuid of the adaptor
    if (path.endsWith('-preferences')) return;
    created.set(path, body.uuid);
    const child = operations.map((one) => one.path).find((one) => one.endsWith('}') && parentOf(one) === path);
    const placeholder = /\{(\w+)\}$/.exec(child ?? '')?.[1];
    // later examples name resources of the zone Root, and its connected adaptor
    if (placeholder === undefined || placeholder === 'zoneUuid' || placeholder === 'adaptorUuid') return;
    known[placeholder] = body.uuid;
  };

  it('exists where an operation takes JSON', () => {
    const missing = operations.filter(({ bodies }) =>
      Object.entries(bodies).some(([mediaType, { example }]) => /[/+]json$/.test(mediaType) && example === undefined),
    );
    expect(missing.map(({ operationId }) => operationId)).toEqual(withoutExample);
  });

  it('is accepted by its operation', async () => {
    const refused: string[] = [];
    const accepted: string[] = [];
    for (const operation of [...operations].sort((one, other) => rankOf(one) - rankOf(other))) {
      for (const [mediaType, { example }] of Object.entries(operation.bodies)) {
        if (example === undefined) continue;
        const path = await pathOf(operation);
        const json = await bodyOf(operation, path, example);
        const answer = await send(operation, path, { headers: { 'content-type': mediaType }, json });
        noteCreated(operation, answer);
        const { status, text } = answer;
        if (status < 300) accepted.push(operation.operationId);
        else refused.push(`${operation.operationId} ${JSON.stringify(json)}: ${status} ${text.slice(0, 400)}`);
      }
    }
    expect(refused).toEqual([]);
    expect(new Set(accepted).size).toBeGreaterThan(60);
  }, 120_000);
});
