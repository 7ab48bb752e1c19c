import DataLoader from 'dataloader';
import type { Visible } from '@fds/access-rules';
import type { JsonText, RequestContext } from '@fds/graphql';
import { isJsonObject, parseJson, type JsonObject } from '@fds/json';
import { referenceTreeOf } from '@fds/model-schema';
import type { DomainType } from '@fds/record-types';
import {
  expandRecords,
  readYield,
  type Expansion,
  type LinkedRecord,
  type ReferencedRecord,
  type ReferringRecord,
  type ShowingContext,
} from '@fds/references';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import { findReferencedVersions } from '../../catalog-view/find-referenced-versions.js';
import { showKeys, showReferences } from '../../domain/references/show-references.js';
import { loadSeenLinks } from '../../reading/visibility/load-seen-links.js';
import type { SeenRecord } from '../../reading/visibility/mask-records.js';
import type { RecordsAccess } from '../../reading/listing/resolvers/list-data-records.js';
import { perRequest } from '../../base/per-request.js';

/** A record as the fields of `DataRecord` see it. */
interface ShownRecord {
  readonly uuid: string;
  readonly domainVersionUuid: string;
  readonly json: JsonText | null;
  readonly visible?: Visible | undefined;
}

/** Records that the references of one level lead to at most, of all records that are shown. */
const maxLinked = 50_000;

/** A list stays as it was posted; a federated record has only its DR Key (docs/reference/data-records.md#reading). */
const expansion: Expansion = {
  lists: 'EACH',
  maxDepth: 10,
  maxNested: 1000,
  showClosed: ({ drKey }, property) => (property === undefined ? drKey : readYield(drKey, property)),
};

const toObject = (text: string): JsonObject => {
  const value = parseJson(text);
  return isJsonObject(value) ? value : {};
};

const toReferenced = ({ uuid, drKey, json, visible }: SeenRecord<LinkedRecord>): ReferencedRecord => ({
  uuid,
  drKey: toObject(drKey),
  json: json === null ? null : toObject(json),
  ...(visible === undefined ? {} : { visible: visible.names }),
});

/** Shows one record among all that the request shows. */
type Show<Value> = (context: RequestContext) => DataLoader<ReferringRecord, Value>;

/** The type of a record's domain. */
export const domainTypeOf = ({ json }: Pick<ShownRecord, 'json'>): DomainType =>
  json === null ? 'FEDERATED' : 'SERVICE_DATA_STORE';

/** A record with references in its data; undefined where it refers to nothing: federated, or of a model without references. */
export const toReferring = (
  { catalog }: Pick<CatalogView, 'catalog'>,
  { uuid, domainVersionUuid, json, visible }: ShownRecord,
): ReferringRecord | undefined => {
  if (json === null) return undefined;
  const version = catalog.versionByUuid(domainVersionUuid);
  if (version === undefined || referenceTreeOf(version.model).size === 0) return undefined;
  const parsed = parseJson(json.text);
  if (!isJsonObject(parsed)) return undefined;
  return { uuid, version, json: parsed, ...(visible === undefined ? {} : { visible: visible.names }) };
};

/** Fields of a listed record that hang on its references; those of a page are resolved together. */
export const createDataRecordResolvers = ({ database, view }: RecordsAccess): Record<string, unknown> => {
  const loadFor =
    ({ principal }: RequestContext): ShowingContext['load'] =>
    async (requests) =>
      (await loadSeenLinks({ session: database.reads, view }, principal, requests, maxLinked))?.map((records) =>
        records.map(toReferenced),
      );

  const together = <Value>(
    show: (context: ShowingContext, records: readonly ReferringRecord[]) => Promise<readonly Value[]>,
  ): Show<Value> =>
    perRequest(
      (context) =>
        new DataLoader<ReferringRecord, Value>(
          async (records) => {
            for (const { model } of new Set(records.map(({ version }) => version))) {
              await findReferencedVersions(view(), model);
            }
            return show({ catalog: view().catalog, load: loadFor(context) }, records);
          },
          { cache: false },
        ),
    );
  const expanded = together((context, records) => expandRecords(context, records, expansion));
  const keyed = together(showKeys);
  const references = together(showReferences);

  return {
    json: (
      record: ShownRecord,
      { expandRefs }: { readonly expandRefs?: boolean | null },
      context: RequestContext,
    ): JsonText | null | Promise<JsonObject> => {
      const holder = toReferring(view(), record);
      if (holder === undefined) return record.json;
      return (expandRefs === false ? keyed : expanded)(context).load(holder);
    },
    refs: async (record: ShownRecord, _args: unknown, context: RequestContext) => {
      const holder = toReferring(view(), record);
      const shown = holder === undefined ? [] : await references(context).load(holder);
      return shown.map(({ property, uuid }) => ({ property, href: `/api/drs/${uuid}` }));
    },
    domainType: domainTypeOf,
    federated: (record: ShownRecord): ShownRecord | null => (record.json === null ? record : null),
    stored: (record: ShownRecord): ShownRecord | null => (record.json === null ? null : record),
  };
};
