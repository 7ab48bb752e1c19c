import { chmod, link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { exitStatus, Failure } from './failure.js';

/** A sign-in at one service. */
export interface SignIn {
  /** Address of the service, without a slash at the end. */
  readonly url: string;
  readonly clientId: string;
  /** Absent after a sign-in in a browser. */
  readonly clientSecret?: string | undefined;
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The file with the sign-ins: `$XDG_CONFIG_HOME/fds/credentials.json`, which is below `~/.config` by default. */
const credentialsFile = (environment: Environment): string => {
  const configured = environment['XDG_CONFIG_HOME'];
  // a relative path is invalid (XDG Base Directory Specification)
  const base = configured?.startsWith('/') === true ? configured : join(environment['HOME'] ?? homedir(), '.config');
  return join(base, 'fds', 'credentials.json');
};

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

const retryMs = 50;
/** A refresh takes seconds at most. */
const maxWaitMs = 60_000;

/** All sign-ins of a user: one for each context, and the context that commands use. */
export interface Contexts {
  readonly current?: string | undefined;
  readonly contexts: Readonly<Record<string, SignIn>>;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSignIn = (value: unknown): boolean =>
  isObject(value) &&
  [value['url'], value['clientId'], value['accessToken']].every((member) => typeof member === 'string') &&
  typeof value['expiresAt'] === 'number';

const isContexts = (value: unknown): value is Contexts =>
  isObject(value) && isObject(value['contexts']) && Object.values(value['contexts']).every(isSignIn);

/** Does the process of this id run? Another user's process does, too. */
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
};

/** Keeps the sign-ins in a file that only its owner can read. */
export class CredentialStore {
  readonly file: string;

  constructor(environment: Environment) {
    this.file = credentialsFile(environment);
  }

  /** @throws Failure when `fds` did not write the file */
  async read(): Promise<Contexts> {
    let text;
    try {
      text = await readFile(this.file, 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return { contexts: {} };
      throw error;
    }
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      value = undefined;
    }
    if (isContexts(value)) return value;
    throw new Failure(exitStatus.fault, `${this.file} has no sign-ins of fds: delete it, then run fds login`);
  }

  /** Changes the file while no other command does. */
  async change(next: (before: Contexts) => Contexts | Promise<Contexts>): Promise<Contexts> {
    return this.withLock(async () => {
      const before = await this.read();
      const after = await next(before);
      if (after !== before) await this.write(after);
      return after;
    });
  }

  /** Replaces the file in one step, so that another command never reads half of it. */
  private async write(contexts: Contexts): Promise<void> {
    const next = `${this.file}.${process.pid}`;
    const handle = await open(next, 'w', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(contexts, undefined, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // an older file of this name keeps its mode
    await chmod(next, 0o600);
    await rename(next, this.file);
  }

  /**
   * Runs `work` while no other command does the same. A refresh token is good for one use: two commands that refresh at
   * once would end the sign-in. The lock is a file with the id of the process that holds it. It is broken only when
   * that process has ended, however long the work takes.
   */
  private async withLock<T>(work: () => Promise<T>): Promise<T> {
    const lock = `${this.file}.lock`;
    const own = `${lock}.${process.pid}`;
    await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
    const handle = await open(own, 'w', 0o600);
    await handle.writeFile(String(process.pid));
    await handle.close();
    try {
      await this.takeLock(lock, own);
    } finally {
      await rm(own, { force: true });
    }
    try {
      return await work();
    } finally {
      await rm(lock, { force: true });
    }
  }

  private async takeLock(lock: string, own: string): Promise<void> {
    const deadline = Date.now() + maxWaitMs;
    for (;;) {
      try {
        // the lock appears together with its content
        return await link(own, lock);
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
      }
      const holder = Number(await readFile(lock, 'utf8').catch(() => undefined));
      if (Number.isInteger(holder) && holder > 0 && !isAlive(holder)) await this.breakLock(lock, holder);
      else if (Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, retryMs));
      else throw new Failure(exitStatus.fault, `another fds uses ${this.file}; if none runs, delete ${lock}`);
    }
  }

  /** Takes a lock away whose process has ended. Several commands may find it: one gets the file. */
  private async breakLock(lock: string, ended: number): Promise<void> {
    const taken = `${lock}.${process.pid}.broken`;
    try {
      await rename(lock, taken);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return;
      throw error;
    }
    // a faster command has broken it, and has the lock
    if (Number(await readFile(taken, 'utf8')) !== ended)
      await link(taken, lock).catch((error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw error;
      });
    await rm(taken, { force: true });
  }
}
