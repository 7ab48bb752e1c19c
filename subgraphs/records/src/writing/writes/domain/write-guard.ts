import type { DataAccess, DataAction, Visible } from '@fds/access-rules';
import { AppError } from '@fds/errors';
import { type JsonObject, pointerTo } from '@fds/json';
import type { ReferenceTarget } from '@fds/model-schema';
import type { AdaptorView, Catalog, DomainVersionView } from '../../../domain/catalog.js';
import { mayFind } from '../../../domain/records/find-visible.js';
import type { RecordState } from '../../../domain/records/record-book.js';
import { createRecordSight, showsAll } from '../../../domain/records/record-sight.js';

/** The data access rules for the writes of a person (docs/reference/data-access.md). */
export interface WriteGuard {
  /** May the person see that the record exists? */
  isSeen(version: DomainVersionView, record: RecordState): boolean;
  /** May the person know that the record has this key? */
  mayFindByKey(version: DomainVersionView, record: RecordState, keyDigest: string): boolean;
  /** May a reference of a stored data-store record lead to the record itself? */
  mayFindOwn(version: DomainVersionView, recordUuid: string, target: ReferenceTarget): boolean;
  /** @param given names of properties that the person gives */
  refuseCreation(version: DomainVersionView, given: readonly string[]): AppError | undefined;
  /** For a data-store record that the person may see. Properties that may not be read may not be changed. */
  refuseChange(version: DomainVersionView, recordUuid: string, given: readonly string[]): AppError | undefined;
  /** For a record as the server has it. */
  refuseDeletion(version: DomainVersionView, recordUuid: string): AppError | undefined;
  /** May the person know that the adaptor has the record, and have it deleted there? */
  atAdaptor(version: DomainVersionView, recordUuid: string, adaptorUuid: string): 'HIDDEN' | 'DENIED' | 'ALLOWED';
  /** The properties that a whole record keeps when the person replaces it, as they are stored. */
  keepHidden(version: DomainVersionView, recordUuid: string, next: JsonObject, stored: JsonObject): JsonObject;
}

const refusal = (what: string, names: readonly string[]): AppError =>
  new AppError('FORBIDDEN', `the data access rules of your roles do not let you ${what}`, {
    errors: names.map((name) => ({
      pointer: pointerTo('', name),
      code: 'FORBIDDEN',
      detail: 'this property is not yours to write',
    })),
  });

const hidden = ({ names }: Visible, given: readonly string[], { model }: DomainVersionView): string[] => {
  const folded = new Set([...names].map((name) => name.toLowerCase()));
  const known = new Set(model.properties.map(({ name }) => name.toLowerCase()));
  return given.filter((name) => known.has(name.toLowerCase()) && !folded.has(name.toLowerCase()));
};

export const createWriteGuard = (
  access: DataAccess,
  catalog: Pick<Catalog, 'adaptor' | 'versionByUuid'>,
): WriteGuard => {
  const sight = createRecordSight({ dataAccess: access }, catalog);
  const own = (action: DataAction, version: DomainVersionView, recordUuid: string): Visible =>
    access.of(action, version).own.of(recordUuid);
  const at = (action: DataAction, version: DomainVersionView, adaptor: AdaptorView, recordUuid: string): Visible =>
    access.of(action, version).at({ adaptorUuid: adaptor.uuid, zoneUuid: adaptor.zoneUuid }).of(recordUuid);
  /** The properties that may be read and changed. */
  const changeable = (version: DomainVersionView, recordUuid: string): ReadonlySet<string> => {
    const { names } = own('GET', version, recordUuid);
    return new Set([...own('PUT', version, recordUuid).names].filter((name) => names.has(name)));
  };

  const atAdaptor: WriteGuard['atAdaptor'] = (version, recordUuid, adaptorUuid) => {
    const adaptor = catalog.adaptor(adaptorUuid);
    if (adaptor === undefined || at('GET', version, adaptor, recordUuid).extent === 'NONE') return 'HIDDEN';
    return at('DELETE', version, adaptor, recordUuid).extent === 'NONE' ? 'DENIED' : 'ALLOWED';
  };

  return {
    atAdaptor,
    isSeen: (version, { uuid, links }) =>
      version.domainType === 'FEDERATED' && links.size > 0
        ? [...links.keys()].some((adaptorUuid) => atAdaptor(version, uuid, adaptorUuid) !== 'HIDDEN')
        : own('GET', version, uuid).extent !== 'NONE',
    mayFindByKey: (version, { uuid, drKey, keyDigest, links }, digest) => {
      const keyed = { uuid, drKey, keyDigest, links: [...links.values()] };
      return mayFind(sight, version, keyed, { kind: 'KEY', keyDigest: digest });
    },
    mayFindOwn: (version, recordUuid, target) => {
      const { drKeyProperties } = version.model;
      const names = target.kind === 'PART' ? Object.keys(target.part) : drKeyProperties;
      return target.kind === 'UUID' || showsAll(sight.own(version, recordUuid), names);
    },
    refuseCreation: (version, given) => {
      const { common } = access.of('POST', version).own;
      if (common.extent === 'NONE') return refusal('add such records', []);
      const names = hidden(common, given, version);
      return names.length === 0 ? undefined : refusal('set these properties', names);
    },
    refuseChange: (version, recordUuid, given) => {
      if (own('PUT', version, recordUuid).extent === 'NONE') return refusal('change this record', []);
      const names = hidden({ extent: 'SOME', names: changeable(version, recordUuid) }, given, version);
      return names.length === 0 ? undefined : refusal('change these properties', names);
    },
    refuseDeletion: (version, recordUuid) =>
      own('DELETE', version, recordUuid).extent === 'NONE' ? refusal('delete this record', []) : undefined,
    keepHidden: (version, recordUuid, next, stored) => {
      const names = changeable(version, recordUuid);
      const keys = new Set(version.model.drKeyProperties);
      const isTheirs = ([name]: readonly [string, unknown]): boolean => names.has(name) || keys.has(name);
      return Object.fromEntries([
        ...Object.entries(next).filter(isTheirs),
        ...Object.entries(stored).filter((member) => !isTheirs(member)),
      ]);
    },
  };
};
