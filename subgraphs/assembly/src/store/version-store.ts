import type { Database } from '@fds/database';
import { parseJson } from '@fds/json';
import { compileModelSchema, preparePatterns, type CompiledModel } from '@fds/model-schema';
import { inTurns } from '@fds/service';
import { LRUCache } from 'lru-cache';

/** The parts of a domain version that assembly needs. */
export interface AssembledVersion {
  readonly domainVersionUuid: string;
  readonly domainUuid: string;
  /** The zone that owns the domain. */
  readonly zoneUuid: string;
  readonly domainName: string;
  readonly versionNumber: number;
  readonly domainType: 'FEDERATED' | 'SERVICE_DATA_STORE';
  readonly model: CompiledModel;
}

/** Domain versions by name and by uuid. A model is compiled once until the version changes. */
export interface VersionStore {
  byName(domainName: string, versionNumber: number): Promise<AssembledVersion | undefined>;
  byUuid(domainVersionUuid: string): Promise<AssembledVersion | undefined>;
}

interface VersionRow {
  readonly uuid: string;
  readonly domain_uuid: string;
  readonly zone_uuid: string;
  readonly name: string;
  readonly version_number: number;
  readonly domain_type: AssembledVersion['domainType'];
  readonly model_schema: string;
  readonly dr_key_properties: string[];
  readonly change_version: number;
}

const select = `SELECT v.uuid, d.uuid AS domain_uuid, d.zone_uuid, d.name, v.version_number, d.domain_type, v.model_schema, v.dr_key_properties, v.change_version
  FROM domain_version v JOIN domain d ON d.uuid = v.domain_uuid`;

export const createVersionStore = ({ reads }: Pick<Database, 'reads'>): VersionStore => {
  const compiled = new LRUCache<string, CompiledModel>({ max: 1000 });

  const modelOf = async (row: VersionRow): Promise<CompiledModel> => {
    const key = `${row.uuid} ${row.change_version}`;
    const known = compiled.get(key);
    if (known !== undefined) return known;
    const modelSchema = parseJson(row.model_schema);
    await inTurns(preparePatterns(modelSchema));
    const result = compileModelSchema({ modelSchema, drKeyProperties: row.dr_key_properties });
    if (result.model === undefined) throw new Error(`the stored model of version ${row.uuid} does not compile`);
    compiled.set(key, result.model);
    return result.model;
  };

  const toVersion = async (row: VersionRow | undefined): Promise<AssembledVersion | undefined> =>
    row && {
      domainVersionUuid: row.uuid,
      domainUuid: row.domain_uuid,
      zoneUuid: row.zone_uuid,
      domainName: row.name,
      versionNumber: row.version_number,
      domainType: row.domain_type,
      model: await modelOf(row),
    };

  return {
    byName: async (domainName, versionNumber) => {
      const { rows } = await reads.query<VersionRow>({
        name: 'assembly-version-by-name',
        text: `${select} WHERE lower(d.name) = lower($1) AND v.version_number = $2`,
        values: [domainName, versionNumber],
      });
      return toVersion(rows[0]);
    },
    byUuid: async (domainVersionUuid) => {
      const { rows } = await reads.query<VersionRow>({
        name: 'assembly-version-by-uuid',
        text: `${select} WHERE v.uuid = $1`,
        values: [domainVersionUuid],
      });
      return toVersion(rows[0]);
    },
  };
};
