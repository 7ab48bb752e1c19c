import type { Queryable } from '@fds/database';
import { isJsonObject, parseJson } from '@fds/json';
import { compileModelSchema, preparePatterns } from '@fds/model-schema';
import { createGiveWay, inTurns } from '@fds/service';
import { compileStoredMatching } from '../compile-stored-matching.js';
import { capabilityKey, type AdaptorView, type DeletionLimit, type DomainVersionView } from '../../domain/catalog.js';
import { webhookTypeName } from '@fds/webhook-client';

/** A domain version as the catalog view keeps it. */
export interface LoadedVersion extends DomainVersionView {
  readonly isDefault: boolean;
}

interface VersionRow {
  readonly uuid: string;
  readonly domain_uuid: string;
  readonly domain_name: string;
  readonly domain_type: DomainVersionView['domainType'];
  readonly version_number: number;
  readonly zone_uuid: string;
  readonly revision: string;
  readonly active: boolean;
  readonly is_default: boolean;
  readonly model_schema: string;
  readonly dr_key_properties: string[];
  readonly search_properties: string[];
  readonly matching_algorithm: string | null;
}

interface AdaptorRow {
  readonly webhook_revision: string | null;
  readonly uuid: string;
  readonly name: string;
  readonly zone_uuid: string;
  readonly active: boolean;
  readonly state: string;
  readonly discovery_mode: boolean;
  readonly deletion_limit: DeletionLimit | null;
  readonly capabilities: readonly { readonly domain: string; readonly version: number; readonly action: string }[];
}

/** Versions of these domains; all when none are named. A version whose model does not compile is left out. */
export const loadVersions = async (
  client: Queryable,
  domainUuids: readonly string[] | undefined,
): Promise<LoadedVersion[]> => {
  const { rows } = await client.query<VersionRow>(
    `SELECT v.uuid, d.uuid AS domain_uuid, d.name AS domain_name, d.domain_type, v.version_number, d.zone_uuid,
            d.change_version || '.' || v.change_version AS revision, d.active AND v.active AS active, v.uuid IS NOT DISTINCT FROM d.default_version_uuid AS is_default,
            v.model_schema, v.dr_key_properties, v.search_properties, v.matching_algorithm
     FROM domain_version v JOIN domain d ON d.uuid = v.domain_uuid
     WHERE $1::uuid[] IS NULL OR d.uuid = ANY ($1)`,
    [domainUuids ?? null],
  );
  const giveWay = createGiveWay();
  for (const { model_schema } of rows) await inTurns(preparePatterns(parseJson(model_schema)), giveWay);
  return rows.flatMap((row) => {
    const modelSchema = parseJson(row.model_schema);
    if (!isJsonObject(modelSchema)) return [];
    const { model } = compileModelSchema({
      modelSchema,
      drKeyProperties: row.dr_key_properties,
      searchProperties: row.search_properties,
    });
    if (model === undefined) return [];
    return {
      uuid: row.uuid,
      domainUuid: row.domain_uuid,
      domainName: row.domain_name,
      domainType: row.domain_type,
      versionNumber: row.version_number,
      zoneUuid: row.zone_uuid,
      revision: row.revision,
      active: row.active,
      isDefault: row.is_default,
      model,
      matching: compileStoredMatching(row.matching_algorithm, model),
    };
  });
};

/** Domains by their names, ignoring case; those that there are. */
export const findDomains = async (client: Queryable, names: readonly string[]): Promise<string[]> => {
  const { rows } = await client.query<{ readonly uuid: string }>(
    `SELECT d.uuid FROM unnest($1::text[]) AS w(name)
     JOIN domain d ON d.name_key = replace(lower(w.name), '-', '_') AND lower(d.name) = lower(w.name)`,
    [names],
  );
  return rows.map(({ uuid }) => uuid);
};

/** The domains of versions, for a change that names a version. */
export const loadDomainsOf = async (client: Queryable, versionUuids: readonly string[]): Promise<string[]> => {
  const { rows } = await client.query<{ readonly domain_uuid: string }>(
    'SELECT DISTINCT domain_uuid FROM domain_version WHERE uuid = ANY ($1::uuid[])',
    [versionUuids],
  );
  return rows.map((row) => row.domain_uuid);
};

/** These adaptors with the capabilities in effect; all when none are named. */
export const loadAdaptors = async (client: Queryable, uuids: readonly string[] | undefined): Promise<AdaptorView[]> => {
  const { rows } = await client.query<AdaptorRow>(
    `SELECT a.uuid, a.name, a.zone_uuid, a.active, a.state, a.discovery_mode,
            CASE WHEN a.deletion_percent IS NOT NULL THEN jsonb_build_object('percent', a.deletion_percent,
              'minimum', a.deletion_minimum, 'seconds', a.deletion_seconds) END AS deletion_limit,
            CASE WHEN a.inherits_capabilities
              THEN (SELECT coalesce(jsonb_agg(jsonb_build_object('domain', c.domain_name, 'version', c.version_number,
                                                                'action', c.action)), '[]')
                    FROM adaptor_type_capability c WHERE c.adaptor_type_uuid = a.adaptor_type_uuid)
              ELSE (SELECT coalesce(jsonb_agg(jsonb_build_object('domain', c.domain_name, 'version', c.version_number,
                                                                'action', c.action)), '[]')
                    FROM adaptor_capability c WHERE c.adaptor_uuid = a.uuid)
            END AS capabilities,
            CASE WHEN t.name = $2 THEN a.change_version || '.' || t.change_version END AS webhook_revision
     FROM adaptor a JOIN adaptor_type t ON t.uuid = a.adaptor_type_uuid
     WHERE $1::uuid[] IS NULL OR a.uuid = ANY ($1)`,
    [uuids ?? null, webhookTypeName],
  );
  return rows.map((row) => ({
    uuid: row.uuid,
    name: row.name,
    zoneUuid: row.zone_uuid,
    active: row.active,
    state: row.state,
    discoveryMode: row.discovery_mode,
    deletionLimit: row.deletion_limit ?? undefined,
    capabilities: new Set(
      row.capabilities.map(({ domain, version, action }) => capabilityKey(domain, version, action)),
    ),
    webhookRevision: row.webhook_revision ?? undefined,
  }));
};
