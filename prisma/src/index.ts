export { applyMigrations } from './apply-migrations.js';
export { logChange, logChanges, type Change, type LoggedChange } from './change-log.js';
export { exactTypes } from './exact-types.js';
export {
  openDatabase,
  type Database,
  type DatabaseOptions,
  type Prisma,
  type PrismaTransaction,
  type SqlClient,
} from './open-database.js';
