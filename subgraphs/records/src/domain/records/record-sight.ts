import { visibleNothing, type DataAccess, type Visible } from '@fds/access-rules';
import type { Catalog, DomainVersionView } from '../catalog.js';

/**
 * The visible part of records. A lookup asks it first: the result of a lookup reveals the values that it looks for, so a
 * record is found by properties only where the caller may see them of that record.
 */
export interface RecordSight {
  /** The visible part of the record as the server has it. */
  own(version: DomainVersionView, recordUuid: string): Visible;
  /** The visible part of the record as the adaptor links it. A data-store record must be visible as the server has it, too. */
  at(version: DomainVersionView, recordUuid: string, adaptorUuid: string): Visible;
}

export interface SightOptions {
  /** The data that rules show to the caller; undefined: all data. */
  readonly dataAccess: DataAccess | undefined;
  /** Do the caller's permissions let them read the record? Default: all records. */
  readonly mayRead?: (recordUuid: string) => boolean;
}

const everything = ({ model }: DomainVersionView): Visible => ({
  extent: 'ALL',
  names: new Set(model.properties.map(({ name }) => name)),
});

const common = (one: Visible, other: Visible): Visible => {
  if (one.extent === 'ALL') return other;
  if (other.extent === 'ALL') return one;
  const names = new Set([...one.names].filter((name) => other.names.has(name)));
  return names.size === 0 ? visibleNothing() : { extent: 'SOME', names };
};

export const createRecordSight = (
  { dataAccess, mayRead = () => true }: SightOptions,
  catalog: Pick<Catalog, 'adaptor'>,
): RecordSight => {
  const own: RecordSight['own'] = (version, recordUuid) => {
    if (!mayRead(recordUuid)) return visibleNothing();
    return dataAccess?.of('GET', version).own.of(recordUuid) ?? everything(version);
  };
  return {
    own,
    at: (version, recordUuid, adaptorUuid) => {
      if (!mayRead(recordUuid)) return visibleNothing();
      if (dataAccess === undefined) return everything(version);
      const adaptor = catalog.adaptor(adaptorUuid);
      // the zone of a deleted adaptor is unknown
      if (adaptor === undefined) return visibleNothing();
      const { zoneUuid } = adaptor;
      const linked = dataAccess.of('GET', version).at({ adaptorUuid, zoneUuid }).of(recordUuid);
      return version.domainType === 'FEDERATED' ? linked : common(linked, own(version, recordUuid));
    },
  };
};

/** Does it show all of these properties? */
export const showsAll = ({ extent, names }: Visible, properties: readonly string[]): boolean =>
  extent === 'ALL' || (extent === 'SOME' && properties.every((name) => names.has(name)));
