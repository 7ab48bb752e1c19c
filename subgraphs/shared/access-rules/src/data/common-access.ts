import type { SourceAccess } from './source-access.js';
import type { HolderClass, VersionAccess } from './version-access.js';

/** The part of the access that does not depend on the record. */
export type CommonAccess = Pick<VersionAccess, 'own' | 'classes' | 'others'>;

const ofNone: ReadonlySet<string> = new Set();

const withoutNamed = ({ common }: SourceAccess): SourceAccess => ({ common, named: ofNone, of: () => common });

/** Access to records that no rule names. */
export const commonAccessOf = ({ own, classes, others }: VersionAccess): CommonAccess => ({
  own: withoutNamed(own),
  classes: classes.map((each): HolderClass => ({ ...each, access: withoutNamed(each.access) })),
  others: withoutNamed(others),
});

const sourcesOf = ({ own, classes, others }: VersionAccess): readonly SourceAccess[] => [
  own,
  others,
  ...classes.map(({ access }) => access),
];

/** The records that rules name. */
export const namedRecordsOf = (access: VersionAccess): ReadonlySet<string> =>
  new Set(sourcesOf(access).flatMap(({ named }) => [...named]));

/** Do rules name any record? Then data whose record is not known may be that of a named one. */
export const namesRecords = (access: VersionAccess): boolean => sourcesOf(access).some(({ named }) => named.size > 0);
