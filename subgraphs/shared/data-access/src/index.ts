export { allowsMore, type DataKinds } from './allows-more.js';
export type { AccessRule, DataAction } from './access-rule.js';
export { compileDataAccess, type DataAccess } from './compile-data-access.js';
export type { DataHolder, DataVersion } from './data-version.js';
export { allowsAllData, rulesOfPermissions } from './rules-of-permissions.js';
export type { SourceAccess } from './source-access.js';
export type { HolderClass, VersionAccess } from './version-access.js';
export { maskMembers, visibleNothing, type Visible } from './visible.js';
export { writeVisibleRows, type VisibleRows } from './write-visible-rows.js';
