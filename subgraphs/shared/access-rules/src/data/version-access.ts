import type { DataAction } from './access-rule.js';
import type { DataHolder, DataVersion } from './data-version.js';
import { createSourceAccess, type RelevantRules, type SourceAccess } from './source-access.js';

/** Holders of data to which the same rules apply. */
export type HolderClass =
  | { readonly kind: 'ADAPTOR'; readonly adaptorUuid: string; readonly access: SourceAccess }
  /** Adaptors of the zone without a separate class. */
  | { readonly kind: 'ZONE'; readonly zoneUuid: string; readonly access: SourceAccess };

/** The actions that a holder of roles may do with the records of one domain version. */
export interface VersionAccess {
  /** All data is visible, for every record and holder. */
  readonly isWhole: boolean;
  /** Records as the server has them. */
  readonly own: SourceAccess;
  /** Those first that are more special. */
  readonly classes: readonly HolderClass[];
  /** Adaptors of no class. */
  readonly others: SourceAccess;
  /** As the adaptor has the records; null: as the server has them. */
  at(holder: DataHolder | null): SourceAccess;
  /** Is the property allowed for any record, with any holder? In the spelling of the model. */
  isEverAllowed(property: string): boolean;
}

const selects = (selector: string | null, uuid: string | null): boolean => selector === null || selector === uuid;

const relevantTo = (
  roles: readonly RelevantRules[],
  holder: { readonly adaptorUuid: string | null; readonly zoneUuid: string | null },
): RelevantRules[] =>
  roles.map(({ rules, otherwise }) => ({
    otherwise,
    rules: rules.filter(
      ({ rule }) => selects(rule.zoneUuid, holder.zoneUuid) && selects(rule.adaptorUuid, holder.adaptorUuid),
    ),
  }));

const isWholeAt = ({ common, named, of }: SourceAccess): boolean =>
  common.extent === 'ALL' && [...named].every((uuid) => of(uuid).extent === 'ALL');

const allowsAt = ({ common, named, of }: SourceAccess, property: string): boolean =>
  common.names.has(property) || [...named].some((uuid) => of(uuid).names.has(property));

/** @param zoneOfAdaptor of every adaptor that rules name and that exists */
export const createVersionAccess = (
  roles: readonly RelevantRules[],
  action: DataAction,
  version: DataVersion,
  zoneOfAdaptor: ReadonlyMap<string, string>,
): VersionAccess => {
  const properties = version.model.properties.map(({ name }) => name);
  const relevant = roles.map(({ rules, otherwise }) => ({
    otherwise,
    rules: rules.filter(
      ({ rule }) =>
        selects(rule.domainUuid, version.domainUuid) &&
        selects(rule.domainVersionUuid, version.uuid) &&
        (action !== 'DELETE' || rule.properties === null),
    ),
  }));
  const at = (adaptorUuid: string | null, zoneUuid: string | null): SourceAccess =>
    createSourceAccess(relevantTo(relevant, { adaptorUuid, zoneUuid }), properties);

  const named = new Set(
    relevant
      .flatMap(({ rules }) => rules.flatMap(({ rule }) => rule.adaptorUuid ?? []))
      .filter((adaptorUuid) => zoneOfAdaptor.has(adaptorUuid)),
  );
  const zones = new Set(relevant.flatMap(({ rules }) => rules.flatMap(({ rule }) => rule.zoneUuid ?? [])));
  // there may be a class for each of thousands of zones: each is compiled when it is asked for
  const compiled = new Map<string, SourceAccess>();
  const compiledOnce = (key: string, compile: () => SourceAccess): SourceAccess => {
    const access = compiled.get(key) ?? compile();
    compiled.set(key, access);
    return access;
  };
  const ofAdaptor = (uuid: string): SourceAccess =>
    compiledOnce(`adaptor ${uuid}`, () => at(uuid, zoneOfAdaptor.get(uuid) ?? null));
  const ofZone = (uuid: string): SourceAccess => compiledOnce(`zone ${uuid}`, () => at(null, uuid));
  let classes: readonly HolderClass[] | undefined;
  const classesOf = (): readonly HolderClass[] =>
    (classes ??= [
      ...[...named].map((adaptorUuid): HolderClass => ({
        kind: 'ADAPTOR',
        adaptorUuid,
        access: ofAdaptor(adaptorUuid),
      })),
      ...[...zones].map((zoneUuid): HolderClass => ({ kind: 'ZONE', zoneUuid, access: ofZone(zoneUuid) })),
    ]);
  const own = at(null, version.zoneUuid);
  const others = at(null, null);
  let all: readonly SourceAccess[] | undefined;
  const allOf = (): readonly SourceAccess[] => (all ??= [own, others, ...classesOf().map(({ access }) => access)]);
  let whole: boolean | undefined;
  return {
    get isWhole() {
      return (whole ??= allOf().every(isWholeAt));
    },
    own,
    get classes() {
      return classesOf();
    },
    others,
    at: (holder) => {
      if (holder === null) return own;
      if (named.has(holder.adaptorUuid)) return ofAdaptor(holder.adaptorUuid);
      return zones.has(holder.zoneUuid) ? ofZone(holder.zoneUuid) : others;
    },
    isEverAllowed: (property) => allOf().some((access) => allowsAt(access, property)),
  };
};
