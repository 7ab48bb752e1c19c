import { compileDataAccess, type AccessRule, type DataAccess } from '@fds/access-rules';
import type { Catalog } from '../../domain/catalog.js';
import type { RecordedEvent } from './recorded-event.js';

/** The properties of an event that holders of a role see with other rules, compared with the saved ones. */
export type CompareSight = (event: RecordedEvent) => {
  readonly gained: readonly string[];
  readonly lost: readonly string[];
};

const zonesOf = (rules: readonly AccessRule[], catalog: Pick<Catalog, 'adaptor'>): ReadonlyMap<string, string> =>
  new Map(
    rules.flatMap(({ adaptorUuid }) => {
      const adaptor = adaptorUuid === null ? undefined : catalog.adaptor(adaptorUuid);
      return adaptor === undefined ? [] : [[adaptor.uuid, adaptor.zoneUuid] as const];
    }),
  );

/** A role without rules allows everything. */
const accessOf = (rules: readonly AccessRule[], catalog: Pick<Catalog, 'adaptor'>): DataAccess | undefined =>
  rules.length === 0 ? undefined : compileDataAccess([rules], zonesOf(rules, catalog));

const seenBy = (
  access: DataAccess | undefined,
  { version, source, recordUuid, names }: RecordedEvent,
): ReadonlySet<string> => {
  if (access === undefined) return new Set(names);
  const { uuid: adaptorUuid, zoneUuid } = source;
  const isOwn = adaptorUuid === null || version.domainType === 'SERVICE_DATA_STORE';
  const visible = access
    .of('GET', version)
    .at(isOwn ? null : { adaptorUuid, zoneUuid })
    .of(recordUuid);
  return new Set(visible.extent === 'ALL' ? names : names.filter((name) => visible.names.has(name)));
};

/** @param rules the saved ones, and those of the rehearsal */
export const compareSights = (
  rules: { readonly before: readonly AccessRule[]; readonly after: readonly AccessRule[] },
  catalog: Pick<Catalog, 'adaptor'>,
): CompareSight => {
  const [before, after] = [accessOf(rules.before, catalog), accessOf(rules.after, catalog)];
  return (event) => {
    const [saw, sees] = [seenBy(before, event), seenBy(after, event)];
    return { gained: [...sees].filter((name) => !saw.has(name)), lost: [...saw].filter((name) => !sees.has(name)) };
  };
};
