import { requireStatus } from '../../harness/catalogue.js';
import type { Sent } from '../../harness/exchange.js';
import type { Door, Resource } from '../open-doors.js';
import { uniqueName } from '../unique-name.js';
import { resolvePath } from './resolve-path.js';

/** An endpoint in the form of GET `/endpoints`. */
export interface ListedEndpoint {
  readonly method: string;
  readonly path: string;
  /** The permission that the endpoint requires; null: none. */
  readonly permission: { readonly action: string; readonly resource: string } | null;
}

/** A request that succeeds for every permitted caller. */
export interface FormedRequest {
  readonly method: string;
  /** Path below `/api`. */
  readonly path: string;
  readonly search: string;
  readonly sent: Sent;
}

export interface RequestSource {
  /**
   * A caller with every permission. It reads the bodies that are sent back, and creates the resources that are removed.
   */
  readonly giver: Door;
  /** Uuids of resources, by the placeholder that names them in paths. */
  readonly known: Readonly<Record<string, string>>;
}

const members = new Set(['/zones/{zoneUuid}/groups/{groupUuid}/users', '/zones/{zoneUuid}/roles/{roleUuid}/users']);

/** The path without its last segment. */
const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

const searches: Readonly<Record<string, string>> = {
  'GET /drs': '?filters=name:stored',
  'POST /drs/bulk': '?filters=name:stored',
};

/** Bodies of endpoints that do not accept the answer of GET on their path. */
const bodyOf = (endpoint: string, { giver, known }: RequestSource): unknown => {
  const { domainVersionUuid, adaptorUuid, zoneUuid, drUuid } = known;
  const model = { modelSchema: { properties: { id: { type: 'string' } } }, drKeyProperties: ['id'] };
  const named = { name: uniqueName('formed') };
  const preference = { adaptorUuid, domainVersionUuid, preferenceType: 'SILVER' };
  const bodies: Readonly<Record<string, () => unknown>> = {
    'POST /backup': () => ({ passphrase: 'correct horse battery staple' }),
    'POST /zones': () => named,
    'POST /zones/{zoneUuid}/child-zones': () => named,
    'POST /adaptor-types': () => named,
    'POST /zones/{zoneUuid}/adaptors': () => ({ ...named, capabilities: [] }),
    'POST /zones/{zoneUuid}/adaptors/{adaptorUuid}/registration': () => undefined,
    'POST /zones/{zoneUuid}/settings/domain-version-adaptor-preferences': async () => {
      await giver.rest('DELETE', `/zones/${zoneUuid}/settings/domain-version-adaptor-preferences/${adaptorUuid}`);
      return preference;
    },
    'PUT /zones/{zoneUuid}/settings/domain-version-adaptor-preferences/{adaptorOrPreferenceUuid}': () => preference,
    'POST /domains': () => named,
    'POST /domains/{domainUuid}/versions': () => model,
    'POST /drs': () => ({ name: 'stored', json: { id: uniqueName('key') } }),
    'PATCH /drs/{drUuid}': () => ({ size: 2 }),
    'POST /drs/bulk': () => [{ id: uniqueName('key'), size: 1 }],
    'POST /zones/{zoneUuid}/adaptors/{adaptorUuid}/reconciliations': () => ({ domainVersionUuid }),
    'POST /zones/{zoneUuid}/adaptors/{adaptorUuid}/redeliveries': () => ({ drUuids: [drUuid] }),
    'POST /zones/{zoneUuid}/issues/settle': () => ({ preview: true }),
    'POST /zones/{zoneUuid}/acls/dry-run': () => ({
      action: 'PUT',
      domainVersionUuid,
      jsonData: JSON.stringify({ id: 'a', size: 1 }),
    }),
    'POST /zones/{zoneUuid}/acls/rehearsal': () => ({ events: { last: 10 } }),
    'POST /zones/{zoneUuid}/inbound-acls': () => ({ ...named, active: false }),
    'POST /zones/{zoneUuid}/outbound-acls': () => ({ ...named, active: false }),
    'POST /zones/{zoneUuid}/inbound-acls/{inboundAclUuid}/drs': () => [drUuid],
    'POST /zones/{zoneUuid}/outbound-acls/{outboundAclUuid}/drs': () => [drUuid],
    'POST /operational-acls/entries': () => ({ ...named, active: false }),
    'POST /operational-acls/check': () => ({ post: 'DENY' }),
    'POST /zones/{zoneUuid}/users': () => ({ username: uniqueName('user') }),
    'POST /zones/{zoneUuid}/groups': () => named,
    'POST /zones/{zoneUuid}/groups/{groupUuid}/users': () => [known['zoneUserUuid']],
    'POST /zones/{zoneUuid}/roles': () => named,
    'POST /zones/{zoneUuid}/roles/{roleUuid}/users': () => [known['zoneUserUuid']],
    'POST /zones/{zoneUuid}/roles/{roleUuid}/data-access-rules': () => ({ effect: 'DENY' }),
    // every person has this permission, and so may grant it
    'POST /zones/{zoneUuid}/permissions': () => ({
      action: 'GET',
      resource: `/notifications/${uniqueName('given')}`,
      holderType: 'ROLE',
      holderUuid: known['roleUuid'],
    }),
  };
  return bodies[endpoint]?.();
};

const createVictim = async (endpoint: ListedEndpoint, source: RequestSource): Promise<string | undefined> => {
  const { giver, known } = source;
  const collection = parentOf(endpoint.path);
  // the job that is there is cancelled: a second reconciliation is refused while it runs
  if (/\/(reconciliations|redeliveries)$/.test(collection)) return undefined;
  const path = await resolvePath(collection, known, [giver]);
  if (path === undefined) return undefined;
  const json = await bodyOf(`POST ${collection}`, source);
  if (json === undefined) return undefined;
  const { body } = requireStatus(await giver.rest<Partial<Resource>>('POST', path, json), 201);
  const uuid = members.has(collection) ? known['zoneUserUuid'] : Array.isArray(json) ? known['drUuid'] : body.uuid;
  return `${path}/${uuid}`;
};

/** Forms a request that succeeds; undefined: the deployment has no resource for the path. */
export const formRequest = async (
  endpoint: ListedEndpoint,
  source: RequestSource,
): Promise<FormedRequest | undefined> => {
  const { giver, known } = source;
  const { method, path: template } = endpoint;
  const name = `${method} ${template}`;
  const zoneVictim = name === 'DELETE /zones/{zoneUuid}' ? await createVictim(endpoint, source) : undefined;
  const victim = method === 'DELETE' ? (zoneVictim ?? (await createVictim(endpoint, source))) : undefined;
  const path = victim ?? (await resolvePath(template, known, [giver]));
  if (path === undefined) return undefined;
  const search = searches[name] ?? '';
  if (method === 'GET' || method === 'DELETE') return { method, path, search, sent: {} };
  if (template.endsWith('/shutdown')) {
    const { body } = requireStatus(await giver.rest<{ code: string }>('GET', `${path}-code`), 200);
    return { method, path, search: `?code=${body.code}`, sent: {} };
  }
  const given = await bodyOf(name, source);
  if (given !== undefined || method === 'POST') return { method, path, search, sent: { json: given } };
  return { method, path, search, sent: { json: requireStatus(await giver.rest('GET', path), 200).body } };
};
