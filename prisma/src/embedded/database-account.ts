import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The account that runs PostgreSQL's processes. */
export interface DatabaseAccount {
  readonly uid: number;
  readonly gid: number;
}

const accountNamed = async (name: string): Promise<DatabaseAccount | undefined> => {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
};

const createAccount = async (name: string): Promise<DatabaseAccount | undefined> => {
  const options = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin'];
  await run('useradd', [...options, name]).catch(() => undefined);
  return accountNamed(name);
};

const ownerOf = async (folder: string): Promise<DatabaseAccount | undefined> => {
  const found = await stat(folder).catch(() => undefined);
  return found === undefined || found.uid === 0 ? undefined : { uid: found.uid, gid: found.gid };
};

/**
 * PostgreSQL refuses to run as root. In that case it runs as the owner of its files. Without files, it runs as the user
 * `postgres`, which is created if it is missing, or otherwise as `nobody`.
 *
 * @param cluster folder of the files, which may not exist yet
 * @returns undefined for an ordinary user: PostgreSQL then runs under the same account
 */
export const chooseDatabaseAccount = async (cluster: string): Promise<DatabaseAccount | undefined> => {
  if (process.getuid?.() !== 0) return undefined;
  const account =
    (await ownerOf(cluster)) ??
    (await accountNamed('postgres')) ??
    (await createAccount('postgres')) ??
    (await accountNamed('nobody'));
  if (account === undefined) throw new Error('PostgreSQL does not run as root, and no other account can run it');
  return account;
};
