import { maskMembers, visibleNothing, type Visible } from '@fds/access-rules';
import { isJsonObject, parseJson, stringifyJson } from '@fds/json';
import type { Visibility } from '@fds/search';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';

/** A record that was read, JSON as text. */
interface ReadRecord {
  readonly uuid: string;
  readonly domainVersionUuid: string;
  /** The adaptor whose key is shown; null: the record's own. */
  readonly holderUuid: string | null;
  readonly drKey: string;
  readonly json: string | null;
}

/** The visible part of a record; undefined: all of it. */
export type SeenRecord<Record> = Record & { readonly visible?: Visible };

const maskText = (text: string, visible: Visible): string => {
  const value = parseJson(text);
  return isJsonObject(value) ? stringifyJson(maskMembers(value, visible)) : text;
};

/** The visible part of a record of a restricted version, for one holder of the data. */
const visibleOf = async (
  { versions }: Visibility,
  view: Pick<CatalogView, 'findAdaptor'>,
  { uuid, domainVersionUuid, holderUuid }: Pick<ReadRecord, 'uuid' | 'domainVersionUuid' | 'holderUuid'>,
): Promise<Visible | undefined> => {
  const version = versions.find((each) => each.uuid === domainVersionUuid);
  if (version === undefined) return undefined;
  if (holderUuid === null || version.domainType === 'SERVICE_DATA_STORE') return version.access.own.of(uuid);
  const adaptor = await view.findAdaptor(holderUuid);
  // gone since: the zone of its data is unknown
  if (adaptor === undefined) return visibleNothing();
  return version.access.at({ adaptorUuid: holderUuid, zoneUuid: adaptor.zoneUuid }).of(uuid);
};

/** Removes hidden values from records; the rows themselves have been selected before. */
export const maskRecords = async <Record extends ReadRecord>(
  records: readonly Record[],
  visibility: Visibility | undefined,
  view: Pick<CatalogView, 'findAdaptor'>,
): Promise<readonly SeenRecord<Record>[]> => {
  if (visibility === undefined) return records;
  const seen: SeenRecord<Record>[] = [];
  for (const record of records) {
    const visible = await visibleOf(visibility, view, record);
    if (visible === undefined || visible.extent === 'ALL') {
      seen.push(record);
      continue;
    }
    seen.push({
      ...record,
      drKey: maskText(record.drKey, visible),
      json: record.json === null ? null : maskText(record.json, visible),
      visible,
    });
  }
  return seen;
};
