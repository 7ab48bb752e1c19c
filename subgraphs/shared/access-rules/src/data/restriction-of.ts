import type { DataAction } from './access-rule.js';
import type { DataAccess } from './compile-data-access.js';
import type { DataVersion } from './data-version.js';
import type { VersionAccess } from './version-access.js';

/** The data of a version that rules leave to the caller; undefined without a restriction. */
export const restrictionOf = (
  { dataAccess }: { readonly dataAccess?: DataAccess | undefined },
  action: DataAction,
  version: DataVersion | undefined,
): VersionAccess | undefined => {
  if (dataAccess === undefined || version === undefined) return undefined;
  const access = dataAccess.of(action, version);
  return access.isWhole ? undefined : access;
};
