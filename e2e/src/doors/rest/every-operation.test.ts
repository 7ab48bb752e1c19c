import { eventually } from '@fds/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { requireStatus } from '../../harness/catalogue.js';
import { getToken } from '../../harness/client.js';
import type { Operation, Parameter, Schema } from '../../harness/contract/api-document.js';
import { contractOf } from '../../harness/contract/hold-to-contract.js';
import { sampleOf } from '../../harness/contract/sample-of.js';
import type { RawAnswer, Sent } from '../../harness/exchange.js';
import { doorOf, type Door, type Resource } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';
import { resolvePath, unknownPath } from './resolve-path.js';
import { stockDeployment } from './stock-deployment.js';
import { nobody } from '../unique-name.js';

/** A line about an operation that did not answer as expected. */
type Deviation = string;

/** Operations that only adaptors may use. */
const ofAdaptors = new Set(['getToken']);

/** Operations for browsers, with redirects by a provider that adds its own parameters; see the tests of signing in. */
const isForBrowsers = ({ path }: Operation): boolean => path.startsWith('/openid/');

/** Filters that an operation requires to list anything. */
const filtersNeeded: Readonly<Record<string, string>> = { listDataRecords: 'name:stored' };

/** Values of filters and parameters that do not follow from a schema. */
const samples: Record<string, string> = { name: 'stored', 'dr-key': 'id=a', zone: 'Europe/Oslo', domains: 'stored' };

const requireOne = ([one]: readonly Resource[]): Resource => {
  if (one === undefined) throw new Error('the list is empty');
  return one;
};

describe('every operation of the OpenAPI document', () => {
  const { doors, leftovers } = setUpDoors();
  let adaptor: Door;
  let operations: readonly Operation[];
  let schemas: Readonly<Record<string, Schema>>;
  /** Uuids of existing resources, by placeholder. */
  const known: Record<string, string> = {};
  /** Name of a domain with a record of the adaptor. */
  let federated: string;

  beforeAll(async () => {
    const { service } = doors;
    const contract = await contractOf(service.baseUrl);
    ({ schemas } = contract);
    // the assembly service has its own tests
    operations = contract.operations.filter(({ door }) => door === 'api');
    const stock = await stockDeployment(doors, leftovers);
    Object.assign(known, stock.known);
    const { clientId, clientSecret } = stock.adaptor;
    const token = await getToken({ baseUrl: service.baseUrl, username: clientId, password: clientSecret });
    adaptor = doorOf(service, token);
    Object.assign(samples, { adaptor: stock.adaptor.uuid });
    federated = stock.federated;
  }, 120_000);

  /** Sends the request as the first of the users who may. */
  const send = async (operation: Operation, path: string, sent: Sent = {}): Promise<RawAnswer<Resource>> => {
    const request = { method: operation.method, ...sent };
    const answer = await doors.dgs.call<Resource>(`/api${path}`, request);
    return answer.status === 403 ? doors.admin.call<Resource>(`/api${path}`, request) : answer;
  };

  /** A body that the document allows, if the operation requires one. */
  const bodyOf = ({ bodies }: Operation): Sent => {
    const schema = bodies['application/json']?.schema;
    return schema === undefined ? {} : { json: sampleOf(schema, schemas) };
  };

  const deviation = ({ method, path }: Operation, expected: number, what: string, answer: RawAnswer): Deviation[] =>
    answer.status === expected ? [] : [`${method} ${path} ${what}: ${answer.status} ${answer.text.slice(0, 300)}`];

  /**
   * Sends a request to every operation that documents the status, and returns those that answer with another status.
   */
  const askAll = async (
    status: number,
    what: string,
    ask: (operation: Operation) => Promise<RawAnswer | undefined>,
  ): Promise<Deviation[]> => {
    const deviations: Deviation[] = [];
    for (const operation of operations.filter(({ responses }) => responses.has(String(status)))) {
      const answer = await ask(operation);
      if (answer !== undefined) deviations.push(...deviation(operation, status, what, answer));
    }
    return deviations;
  };

  it('refuses a caller without a token', async () => {
    const ask = async ({ method, path, needsToken }: Operation) =>
      needsToken ? doors.anyone.call(`/api${unknownPath(path, nobody)}`, { method }) : undefined;
    expect(await askAll(401, 'without a token', ask)).toEqual([]);
  }, 120_000);

  it('refuses a caller without the permission', async () => {
    const ask = async ({ method, path, operationId, needsToken }: Operation) =>
      ofAdaptors.has(operationId) || !needsToken
        ? undefined
        : adaptor.call(`/api${unknownPath(path, nobody)}`, { method });
    expect(await askAll(403, 'as an adaptor', ask)).toEqual([]);
  }, 120_000);

  /** The path of the operation with uuids of existing resources, as far as there are any. */
  const pathOf = async ({ path }: Operation): Promise<string> =>
    (await resolvePath(path, known, [doors.dgs, doors.admin])) ?? unknownPath(path, nobody);

  it('refuses a parameter that is not documented', async () => {
    const ask = async (operation: Operation) => {
      if (operation.ignoresOthers) return undefined;
      const path = await resolvePath(operation.path, known, [doors.dgs, doors.admin]);
      return path === undefined ? undefined : send(operation, `${path}?colour=red`, bodyOf(operation));
    };
    expect(await askAll(400, 'with an unknown parameter', ask)).toEqual([]);
  }, 120_000);

  it('refuses to answer in a media type that is not documented', async () => {
    const ask = async (operation: Operation) =>
      send(operation, await pathOf(operation), { headers: { accept: 'image/png' } });
    expect(await askAll(406, 'asked for a picture', ask)).toEqual([]);
  }, 120_000);

  it('refuses a body in a media type that is not documented', async () => {
    const ask = async (operation: Operation) =>
      send(operation, await pathOf(operation), { headers: { 'content-type': 'image/png' }, text: 'x' });
    expect(await askAll(415, 'sent a picture', ask)).toEqual([]);
  }, 120_000);

  it('refuses a body that is too large', async () => {
    const ask = async (operation: Operation) => {
      const text = `"${'x'.repeat(2 ** 20)}"`;
      // files and documents of configuration may have FDS_BULK_MAX_BYTES
      const isBulk = 'text/csv' in operation.bodies || 'application/yaml' in operation.bodies;
      return send(operation, await pathOf(operation), {
        headers: { 'content-type': 'application/json' },
        text: isBulk ? text.repeat(11) : text,
      });
    };
    expect(await askAll(413, 'sent too much', ask)).toEqual([]);
  }, 120_000);

  it('returns 404 for a uuid of no resource', async () => {
    const ask = async (operation: Operation) => {
      const placeholder = operation.path.lastIndexOf('{');
      // only a caller with permission in all zones learns whether a zone exists
      if (placeholder < 0 || operation.path.startsWith('{zoneUuid}', placeholder)) return undefined;
      const before = await resolvePath(operation.path.slice(0, placeholder - 1), known, [doors.dgs, doors.admin]);
      const path = `${before}/${unknownPath(operation.path.slice(placeholder), nobody)}`;
      return send(operation, path, bodyOf(operation));
    };
    expect(await askAll(404, 'of nothing', ask)).toEqual([]);
  }, 120_000);

  describe('that reads', () => {
    const follow = (schema: Schema): Schema => {
      const { $ref } = schema;
      return typeof $ref === 'string' ? (schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {}) : schema;
    };
    const propertiesOf = (schema: Schema): Readonly<Record<string, Schema>> =>
      (follow(schema)['properties'] ?? {}) as Readonly<Record<string, Schema>>;

    /** A member that `fields` may name: of the resource, or of a list's elements. */
    const fieldOf = ({ responses }: Operation): string => {
      const properties = propertiesOf(responses.get('200')?.content['application/json']?.schema ?? {});
      const [collection, list] = Object.entries(properties)[0] ?? ['', {}];
      return '_page' in properties ? (Object.keys(propertiesOf(list['items'] as Schema))[0] ?? '') : collection;
    };

    /** Query strings, each with one parameter or key, as the document describes them. */
    const queriesOf = (operation: Operation, { name, schema, 'x-keys': keys }: Parameter): string[] => {
      const base = filtersNeeded[operation.operationId];
      const valueOf = (value: Schema): string => encodeURIComponent(String(sampleOf(value, schemas)));
      if (name === 'filters' && keys !== undefined) {
        const terms = Object.entries(keys).map(([key, value]) => `${key}:${samples[key] ?? valueOf(value)}`);
        return terms.map((term) => `filters=${base === undefined || base === term ? term : `${base},${term}`}`);
      }
      const query = ((): string[] => {
        if (name === 'fields') return [`fields=${fieldOf(operation)}`];
        if (name === 'query') return ['query=id:a'];
        if (name === 'sort') return Object.keys(keys ?? { id: {} }).flatMap((key) => [`sort=${key}`, `sort=-${key}`]);
        if (keys === undefined) return [`${name}=${samples[name] ?? valueOf(schema)}`];
        return Object.entries(keys).map(([key, value]) => `${name}=${key}:${samples[key] ?? valueOf(value)}`);
      })();
      return base === undefined ? query : query.map((one) => `filters=${base}&${one}`);
    };

    it('answers, with and without each of its parameters', async () => {
      const deviations: Deviation[] = [];
      for (const operation of operations.filter((each) => each.method === 'GET' && !isForBrowsers(each))) {
        const path = await resolvePath(operation.path, known, [doors.dgs, doors.admin]);
        const base = filtersNeeded[operation.operationId];
        const plain =
          path === undefined ? undefined : await send(operation, base === undefined ? path : `${path}?filters=${base}`);
        // operations without an existing resource are covered by the tests that create it
        if (plain === undefined || plain.status === 404) continue;
        deviations.push(...deviation(operation, 200, 'plainly', plain));
        const parameters = operation.parameters.filter((parameter) => parameter.in === 'query');
        for (const query of parameters.flatMap((parameter) => queriesOf(operation, parameter))) {
          const answer = await send(operation, `${path}?${query}`);
          // a name or uuid that a filter makes up is not found
          const isUnknown = answer.status === 404 && query.startsWith('filters=');
          if (!isUnknown) deviations.push(...deviation(operation, 200, query, answer));
        }
        if (!operation.responses.has('304')) continue;
        const again = await send(operation, `${path}`, { headers: { 'if-none-match': String(plain.headers['etag']) } });
        deviations.push(...deviation(operation, 304, 'again', again));
      }
      expect(deviations).toEqual([]);
    }, 120_000);
  });

  describe('that changes data', () => {
    /** Bodies of operations that do not accept the body that is read at their path. */
    const otherBodies: Readonly<Record<string, () => unknown>> = {
      patchDataRecord: () => ({ size: 2 }),
      setAdaptorPreference: () => ({ domainVersionUuid: known['domainVersionUuid'], preferenceType: 'SILVER' }),
    };

    it('accepts the body that is read at its path', async () => {
      const deviations: Deviation[] = [];
      const isWrite = ({ method, responses }: Operation): boolean =>
        (method === 'PUT' || method === 'PATCH') && responses.has('200');
      for (const operation of operations.filter(isWrite)) {
        const path = await resolvePath(operation.path, known, [doors.dgs, doors.admin]);
        if (path === undefined) continue;
        const read = operations.find((one) => one.method === 'GET' && one.path === operation.path);
        const other = otherBodies[operation.operationId]?.();
        if (read === undefined && other === undefined) continue;
        for (const mediaType of Object.keys(operation.bodies)) {
          const json = other ?? (read === undefined ? {} : (await send(read, path)).body);
          const answer = await send(operation, path, { headers: { 'content-type': mediaType }, json });
          deviations.push(...deviation(operation, 200, `in ${mediaType}`, answer));
        }
      }
      expect(deviations).toEqual([]);
    }, 120_000);

    it('only checks a version at either of its paths', async () => {
      const { domainUuid, domainVersionUuid } = known;
      for (const path of [
        `/domains/${domainUuid}/versions/${domainVersionUuid}`,
        `/domains/versions/${domainVersionUuid}`,
      ]) {
        const { body } = await doors.dgs.rest('GET', path);
        requireStatus(await doors.dgs.rest('PUT', `${path}?validate-only=true`, body), 200);
        requireStatus(await doors.dgs.rest('PATCH', path, { modelSchema: {} }), 400);
        expect((await doors.dgs.rest('GET', path)).body.changeVersion).toBe(body.changeVersion);
      }
    });

    it.each(['inbound', 'outbound'])(
      'inserts entries at a position of the %s chain, and removes them',
      async (direction) => {
        const { admin, root } = doors;
        const path = `/zones/${root}/${direction}-acls`;
        const entry = { name: 'Placed', get: 'DENY', active: false };
        const placed = [
          requireStatus(await admin.rest('POST', `${path}?position=0`, entry), 201).body,
          requireStatus(await admin.rest('POST', `${path}?append=true`, entry), 201).body,
        ];
        for (const { uuid } of placed) requireStatus(await admin.rest<unknown>('DELETE', `${path}/${uuid}`), 204);
      },
    );

    it('checks an operational entry at a position of the chain', async () => {
      const check = await doors.dgs.rest('POST', '/operational-acls/check?position=0', { post: 'DENY' });
      requireStatus(check, 200);
    });

    it('removes rules, members, groups and roles', async () => {
      const { roleUuid, groupUuid } = known;
      const role = `/zones/${doors.root}/roles/${roleUuid}`;
      const group = `/zones/${doors.root}/groups/${groupUuid}`;
      for (const list of [`${role}/data-access-rules`, `${role}/users`, `${group}/users`]) {
        const path = await resolvePath(`${list}/{uuid}`, {}, [doors.admin]);
        requireStatus(await doors.admin.rest<unknown>('DELETE', String(path)), 204);
      }
      for (const path of [group, role]) requireStatus(await doors.admin.rest<unknown>('DELETE', path), 204);
    });

    it('removes issues at every path that shows them', async () => {
      const adaptorPath = '/zones/{zoneUuid}/adaptors/{adaptorUuid}';
      const versionPath = `${adaptorPath}/domains/{domainUuid}/versions/{domainVersionUuid}`;
      for (const place of ['/zones/{zoneUuid}', adaptorPath, versionPath]) {
        const path = await resolvePath(`${place}/issues/{issueUuid}`, known, [doors.dgs]);
        requireStatus(await doors.dgs.rest<unknown>('DELETE', String(path)), 204);
      }
    });

    it('deletes a federated record at the adaptors of a zone', async () => {
      const record = await eventually(async () => {
        const { body } = await doors.dgs.rest<{ drs: Resource[] }>('GET', `/drs?filters=name:${federated}`);
        return requireOne(body.drs);
      });
      requireStatus(await doors.dgs.rest<unknown>('DELETE', `/drs/${record.uuid}?zoneUuid=${doors.root}`), 202);
    });
  });
});
