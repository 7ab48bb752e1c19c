import type { Principal } from '@fds/auth';
import { parseJson, stringifyJson, type JsonObject } from '@fds/json';
import { compileModelSchema } from '@fds/model-schema';
import { v7 as newUuid } from 'uuid';
import type { Answer, TestCatalog } from './open-catalog.js';

const domainFields =
  'uuid name description domainType zoneUuid active changeVersion defaultVersionUuid defaultVersionNumber versionCount';
const versionFields = `uuid versionNumber description modelSchema drKeyProperties searchProperties active changeVersion
  matchingAlgorithm { type definition }`;
const outcome = `{ domainVersion { ${versionFields} } errors { pointer code } }`;

export interface Version {
  readonly uuid: string;
  readonly [field: string]: unknown;
}

export const model = { properties: { id: { type: 'integer' }, name: { type: 'string' } } };
export const body = { modelSchema: model, drKeyProperties: ['id'] };

export const versionIn = ({ data }: Answer): Version => data['outcome']?.['domainVersion'] as Version;

/** Requests for domains and their versions, for tests. */
export interface DomainCalls {
  createDomain(input: object): Promise<Answer>;
  newDomain(name: string, domainType?: string): Promise<string>;
  writeDomain(field: 'replaceDomain' | 'patchDomain', domainUuid: string, input: object): Promise<Answer>;
  createVersion(domainUuid: string, input: object, validateOnly?: boolean): Promise<Answer>;
  newVersion(domainUuid: string, input?: object): Promise<string>;
  replaceVersion(versionUuid: string, input: object, validateOnly?: boolean): Promise<Answer>;
  patchVersion(versionUuid: string, input: object, principal?: Principal): Promise<Answer>;
  /** Adds a data record in the form of the records subgraph. */
  addRecord(versionUuid: string, json: JsonObject): Promise<string>;
}

export const createDomainCalls = (catalogOf: () => TestCatalog): DomainCalls => {
  const calls: DomainCalls = {
    createDomain: (input) =>
      catalogOf().run(`mutation($i: DomainInput!) { domain: createDomain(input: $i) { ${domainFields} } }`, {
        i: input,
      }),
    newDomain: async (name, domainType = 'SERVICE_DATA_STORE') =>
      String((await calls.createDomain({ name, domainType })).data['domain']?.['uuid']),
    writeDomain: (field, d, input) =>
      catalogOf().run(
        `mutation($d: Uuid!, $i: DomainInput!) { domain: ${field}(domainUuid: $d, input: $i) { ${domainFields} } }`,
        { d, i: input },
      ),
    createVersion: (d, input, validateOnly = false) =>
      catalogOf().run(
        `mutation($d: Uuid!, $i: DomainVersionInput!, $v: Boolean) {
          outcome: createDomainVersion(domainUuid: $d, input: $i, validateOnly: $v) ${outcome}
        }`,
        { d, i: input, v: validateOnly },
      ),
    newVersion: async (d, input = body) => versionIn(await calls.createVersion(d, input)).uuid,
    replaceVersion: (v, input, validateOnly = false) =>
      catalogOf().run(
        `mutation($v: Uuid!, $i: DomainVersionInput!, $o: Boolean) {
          outcome: replaceDomainVersion(domainVersionUuid: $v, input: $i, validateOnly: $o) ${outcome}
        }`,
        { v, i: input, o: validateOnly },
      ),
    patchVersion: (v, input, principal) =>
      catalogOf().run(
        `mutation($v: Uuid!, $i: DomainVersionInput!) {
          outcome: patchDomainVersion(domainVersionUuid: $v, input: $i) ${outcome}
        }`,
        { v, i: input },
        principal,
      ),
    addRecord: async (versionUuid, json) => {
      const { prisma, pool } = catalogOf().database;
      const version = await prisma.domainVersion.findUniqueOrThrow({ where: { uuid: versionUuid } });
      const { model: compiled } = compileModelSchema({
        modelSchema: parseJson(version.modelSchema),
        drKeyProperties: version.drKeyProperties,
      });
      if (compiled === undefined) throw new Error('the stored model does not compile');
      const [uuid, drKey] = [newUuid(), compiled.drKeyOf(json)];
      await pool.query(
        `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key, json) VALUES ($1, $2, $3, $4, $5)`,
        [uuid, versionUuid, Buffer.from(compiled.keyDigest(drKey), 'hex'), stringifyJson(drKey), stringifyJson(json)],
      );
      return uuid;
    },
  };
  return calls;
};
