import { describe, expect, it } from '@jest/globals';
import { loadStaticSchema } from '../testing/static-schema.js';
import { other, uuid } from '../testing/samples.js';
import { sampleUuid } from '../openapi/body-examples.js';
import { describeApi } from '../openapi/describe-api.js';
import { openapiDocument } from '../openapi/openapi-document.js';
import { readRoutes } from '../openapi/read-routes.js';

/** A part of the script of the Swagger UI page, as it calls and is called. */
interface Script {
  readonly fillOperations: (options: {
    readonly spec: unknown;
    readonly holder: object;
    readonly read: (path: string) => Promise<unknown>;
  }) => () => {
    readonly statePlugins: {
      readonly layout: {
        readonly wrapActions: {
          readonly show: (show: () => void, system: object) => (thing: readonly string[], isShown: boolean) => void;
        };
      };
    };
  };
}

const zoneUuid = '019a5d2e-0000-7000-8000-0000000000aa';
const versionUuid = '019a5d2e-0000-7000-8000-0000000000bb';
const { endpoints, registry } = describeApi(readRoutes(loadStaticSchema()), {});
const spec: unknown = JSON.parse(JSON.stringify(openapiDocument(endpoints, registry, 'http://localhost:8080')));

/** Opens an operation on the page. @returns the body that the page then shows */
const bodyOf = async (operationId: string, lists: Readonly<Record<string, unknown>>): Promise<unknown> => {
  const { fillOperations } = (await import(new URL('../../assets/fill-operations.js', import.meta.url).href)) as Script;
  const holder = { zones: [{ default: true, zoneUuid }] };
  const read = async (path: string): Promise<unknown> => lists[path.split('?', 1)[0] ?? ''];
  const { show } = fillOperations({ spec, holder, read })().statePlugins.layout.wrapActions;
  return new Promise((resolve) => {
    const system = {
      specActions: { changeParam: () => undefined },
      oas3Actions: { setRequestBodyValue: ({ value }: { readonly value: string }) => resolve(JSON.parse(value)) },
    };
    show(() => undefined, system)(['operations', 'tag', operationId], true);
  });
};

const stored = { uuid, domainVersionUuid: versionUuid, json: { id: 1 }, drKey: { id: 1 } };
const federated = { uuid, domainVersionUuid: versionUuid, adaptorUuid: other, drKey: { id: 1 } };

describe('fillOperations', () => {
  it.each([
    ['of a data store', stored],
    ['of a federated domain', federated],
  ])('fills a dry run with an existing record %s', async (_, record) => {
    expect(await bodyOf('dryRunAcls', { '/drs': { drs: [record] } })).toEqual({
      action: 'PUT',
      domainVersionUuid: versionUuid,
      drUuid: uuid,
      jsonData: '{"id":1}',
    });
  });

  it('fills a dry run of a new record when no record exists', async () => {
    const body = await bodyOf('dryRunAcls', { '/domains/versions': { domainVersions: [{ uuid: versionUuid }] } });
    expect(body).toMatchObject({ domainVersionUuid: versionUuid });
    expect(body).not.toHaveProperty('drUuid');
  });

  it.each([
    ['addInboundAclRecords', 'an existing record', { '/drs': { drs: [stored] } }, [uuid]],
    ['addOutboundAclRecords', 'an existing record', { '/drs': { drs: [stored] } }, [uuid]],
    ['addInboundAclRecords', 'nothing when no record exists', {}, []],
    ['replaceGroupUsers', 'an existing user', { [`/zones/${zoneUuid}/users`]: { users: [{ uuid: other }] } }, [other]],
    // an empty list would remove the users of the group
    ['replaceGroupUsers', 'its example when no user is visible', {}, [sampleUuid]],
  ])('fills the list of %s with %s', async (operationId, _, lists, body) => {
    expect(await bodyOf(operationId, lists)).toEqual(body);
  });
});
