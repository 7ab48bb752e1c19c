import { applyMigrations } from '@fds/database';
import { codeOf } from './code-of.js';

interface Target {
  readonly host: string;
  readonly user: string;
  readonly database: string;
}

const targetOf = (url: string): Target => {
  const { hostname, port, username, pathname } = new URL(url);
  return {
    host: `${hostname === '' ? 'localhost' : hostname}:${port === '' ? '5432' : port}`,
    user: decodeURIComponent(username),
    database: decodeURIComponent(pathname.slice(1)),
  };
};

const unreachable = ({ host }: Target, code: string): string => `no PostgreSQL answers at ${host} (${code})`;
const refused = ({ host, user }: Target): string => `PostgreSQL at ${host} refuses the password of the user "${user}"`;

/** Causes by the code of the operating system or of PostgreSQL (appendix A of its manual). */
const causes: Readonly<Record<string, (target: Target, code: string) => string>> = {
  ECONNREFUSED: unreachable,
  ENOTFOUND: unreachable,
  EAI_AGAIN: unreachable,
  ETIMEDOUT: unreachable,
  EHOSTUNREACH: unreachable,
  ECONNRESET: unreachable,
  '28P01': refused,
  '28000': ({ host, user, database }) =>
    `PostgreSQL at ${host} does not admit the user "${user}" to the database "${database}" (see its pg_hba.conf)`,
  '3D000': ({ host, database }) => `PostgreSQL at ${host} has no database "${database}"`,
  '42501': ({ user, database }) =>
    `the user "${user}" may not create tables in the database "${database}"; make it the owner, or GRANT CREATE ON SCHEMA public`,
};

/**
 * Uses the database of FDS_DATABASE_URL.
 *
 * @throws Error that names the setting and the cause, without the password, when the database cannot be used; every
 * other error unchanged
 */
export const nameDatabaseFault = async (url: string, work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    const code = codeOf(error);
    const cause = causes[code];
    if (cause === undefined) throw error;
    throw new Error(`FDS_DATABASE_URL: ${cause(targetOf(url), code)}`, { cause: error });
  }
};

/**
 * Migrates the database of FDS_DATABASE_URL.
 *
 * @throws Error that names the setting and the cause, without the password, when the database cannot be used
 */
export const migrateDatabase = async (url: string): Promise<void> => {
  try {
    await nameDatabaseFault(url, async () => void (await applyMigrations(url)));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw reason.startsWith('FDS_DATABASE_URL: ') ? error : new Error(`FDS_DATABASE_URL: ${reason}`, { cause: error });
  }
};
