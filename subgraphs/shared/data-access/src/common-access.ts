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

/** The records that rules name. */
export const namedRecordsOf = ({ own, classes, others }: VersionAccess): ReadonlySet<string> =>
  new Set([own, others, ...classes.map(({ access }) => access)].flatMap(({ named }) => [...named]));
