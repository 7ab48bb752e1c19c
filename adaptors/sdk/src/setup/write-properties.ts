import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'dot-properties';
import type { Registration } from './create-adaptor.js';
import { SetupFailure } from './setup-failure.js';

/** Values for `adaptor.properties`. */
export interface WrittenProperties {
  readonly registration: Registration;
  readonly server: string;
  /** Address that replaces the one in the registration. */
  readonly bus: string | undefined;
  /** Port of the health endpoint; undefined: the default. */
  readonly port: string | undefined;
}

const readExisting = (file: string): Readonly<Record<string, string>> =>
  existsSync(file) ? (parse(readFileSync(file, 'utf8')) as Record<string, string>) : {};

/**
 * Writes the properties file in one step, readable by its owner only. Keeps other properties of an existing file.
 *
 * @param otherAdaptor FAIL: the file of another adaptor stays unchanged
 * @throws SetupFailure
 */
export const writeProperties = (
  file: string,
  { registration, server, bus, port }: WrittenProperties,
  otherAdaptor: 'FAIL' | 'OVERWRITE',
): void => {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    const existing = readExisting(file);
    const owner = existing['adaptor.uuid'];
    const isOther = owner !== undefined && owner !== registration.uuid;
    if (isOther && otherAdaptor === 'FAIL')
      throw new SetupFailure(
        `${file} belongs to another adaptor (${owner}); choose another file with --out, or --force`,
      );
    const properties = {
      ...(isOther ? {} : existing),
      'adaptor.uuid': registration.uuid,
      'client.id': registration.clientId,
      'client.secret': registration.clientSecret,
      'message.bus.url': bus ?? registration.messageBusUrl,
      'auth.server.url': server,
      ...(port === undefined ? {} : { port }),
    };
    writeFileSync(temporary, `${stringify(properties)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    if (error instanceof SetupFailure) throw error;
    throw new SetupFailure(`${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
  }
};
