export { applyMigrations } from './apply-migrations.js';
export { readSnapshot } from './backup/read-snapshot.js';
export { RestoreRefused, restoreSnapshot, splitMigrations } from './backup/restore-snapshot.js';
export { binaryArray } from './binary-array.js';
export { openChangeLogReader, type ChangeLogReaderOptions } from './change-log-reader.js';
export { loadHead, loadLogEnds, toLoggedChange, writersInFlight, type ChangeRow } from './change-log-window.js';
export { listChangeLines, listChanges } from './list-changes.js';
export { listLogPages, sealLogPage, type LogFault, type LogPage, type SealedLogPage } from './change-log-pages.js';
export { loadLogHead } from './load-log-head.js';
export { loadSettledHead } from './load-settled-head.js';
export { noteNews } from './announcements.js';
export {
  intoChangeLog,
  logChange,
  logChangeList,
  logChanges,
  noteChanges,
  type Change,
  type LoggedChange,
} from './change-log.js';
export {
  FolderInUse,
  OtherMajorVersion,
  openEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './embedded/open-embedded-postgres.js';
export { exactTypes, exactTypesWithJsonText } from './exact-types.js';
export { outsideJoinedWork, type JoinedResult, type JoinedWork } from './joined-work.js';
export { inTransaction, isReferenceViolation, isUniqueViolation } from './in-transaction.js';
export { isUnavailable, toUnavailable } from './is-unavailable.js';
export { pruneChangeLog } from './prune-change-log.js';
export { rewriteChanges } from './rewrite-changes.js';
export { openNotificationListener, type NotificationListenerOptions } from './notification-listener.js';
export {
  defaultSearchBounds,
  openDatabase,
  type Database,
  type DatabaseOptions,
  type NamedLogReader,
  type Prisma,
  type PrismaTransaction,
  type SqlClient,
  type SqlSession,
} from './open-database.js';
export type { Queryable } from './queryable.js';
export type { OnStatementBound, StatementBounds, StatementCaller, StatementShare } from './open-statement-share.js';
