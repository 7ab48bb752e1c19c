import type { JdbcDatabase } from '../configuration/adaptor-metadata.js';
import { withoutValues } from '../configuration/without-values.js';
import { pointerOf, type ConfigurationFault } from '../configuration/fault.js';

const member = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null ? (error as Readonly<Record<string, unknown>>)[name] : undefined;

const refusedUser = new Set(['28P01', '28000', 'ER_ACCESS_DENIED_ERROR', 'ELOGIN', 'ORA-01017', 'ORA-28000']);
const missingDatabase = new Set(['3D000', 'ER_BAD_DB_ERROR', 'ER_DBACCESS_DENIED_ERROR', 'ORA-12514', 'ORA-12505']);

const codeOf = (error: unknown): string => {
  const code = member(error, 'code');
  return typeof code === 'string' ? code : '';
};

/** Does the source refuse the user name or the password? Then the adaptor tries again only after long pauses. */
export const isRefusedUser = (error: unknown): boolean => refusedUser.has(codeOf(error));

/** The message of a driver, without the statement and its values. */
export const reasonOf = (error: unknown): string => {
  // a host name with several addresses gives one error for each
  const [first] = (member(error, 'errors') as readonly unknown[] | undefined) ?? [error];
  const message = first instanceof Error ? first.message : String(first);
  return withoutValues(message.split(' - ').at(-1) ?? message);
};

/** The reason why a database does not answer. */
export const connectionFault = (
  name: string,
  { address, user }: Pick<JdbcDatabase, 'address' | 'user'>,
  error: unknown,
): ConfigurationFault => {
  const properties = pointerOf('databases', name, 'properties');
  if (address.dialect === 'sqlite')
    return { place: `${properties}/jdbcUrl`, message: `the file cannot be read: ${reasonOf(error)}`, retry: 'SOON' };
  if (isRefusedUser(error)) {
    const who = JSON.stringify(user ?? address.user ?? '');
    const message = `the database refuses the user ${who} (wrong user name or password)`;
    return { place: `${properties}/dataSource.password`, message, retry: 'RARELY' };
  }
  const where = `${address.host}:${address.port}`;
  if (missingDatabase.has(codeOf(error))) {
    const message = `${where} has no database ${JSON.stringify(address.database)} for this user`;
    return { place: `${properties}/jdbcUrl`, message, retry: 'RARELY' };
  }
  return { place: `${properties}/jdbcUrl`, message: `no answer from ${where}: ${reasonOf(error)}`, retry: 'SOON' };
};
