import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createAdaptor, type Creation } from './create-adaptor.js';
import { findHeldVersions, type HeldVersion } from './find-holders.js';
import { findType, findZone, requireVersions } from './find-on-server.js';
import { joiningSteps } from './joining-steps.js';
import type { CapabilityOption } from './parse-capability.js';
import type { InitArguments } from './read-arguments.js';
import { openServerApi, serverAddress, signIn } from './server-api.js';
import { SetupFailure } from './setup-failure.js';
import { skeletonSource } from './skeleton.js';
import { writeProperties } from './write-properties.js';

/** Asks the user for the values that the flags do not give. Rejects without a terminal. */
export interface Prompter {
  /** @param flag that gives the same value, for the error message */
  text(question: string, flag: string, options?: { readonly hidden?: boolean }): Promise<string>;
}

const readMetadata = (file: string | undefined): unknown => {
  if (file === undefined) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown;
  } catch (error) {
    throw new SetupFailure(`--metadata ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
};

/** The token, and the user of a sign-in by password. */
const signedIn = async (
  server: string,
  given: InitArguments,
  prompter: Prompter,
): Promise<{ readonly token: string; readonly user: string | undefined }> => {
  if (given.token !== undefined) return { token: given.token, user: undefined };
  const user = given.user ?? (await prompter.text('User', '--user (or --token)'));
  const password = given.password ?? (await prompter.text('Password', 'FDS_PASSWORD', { hidden: true }));
  return { token: await signIn(server, user, password), user };
};

const writeSkeleton = (file: string, capabilities: readonly CapabilityOption[], force: boolean): string => {
  if (existsSync(file) && !force) return `${file} exists and stays unchanged`;
  writeFileSync(file, skeletonSource(capabilities));
  return `wrote ${file}; start it with: node ${file}`;
};

const said: Readonly<Record<Creation, string>> = {
  CREATED: 'created the adaptor',
  CHANGED: 'the adaptor was there and got the new settings',
  UNCHANGED: 'the adaptor was there',
};

/**
 * Sets up an adaptor: creates it on the server and writes its properties file. A second run does not create a second
 * adaptor.
 *
 * @throws SetupFailure with the cause
 */
export const init = async (given: InitArguments, prompter: Prompter, print: (line: string) => void): Promise<void> => {
  const metadata = readMetadata(given.metadataFile);
  const server = serverAddress(given.server ?? (await prompter.text('Server (http://localhost:8080)', '--server')));
  const { token, user } = await signedIn(server, given, prompter);
  const api = openServerApi(server, token);
  const name = given.name ?? (await prompter.text('Name of the adaptor', '--name'));
  const zone = await findZone(api, given.zone);
  const type = given.type === undefined ? undefined : await findType(api, given.type);
  const { capabilities } = given;
  const versions = await requireVersions(
    api,
    capabilities.length > 0 ? capabilities : (type?.defaultCapabilities ?? []),
  );
  let held: readonly HeldVersion[] = [];
  const { creation, registration, changeVersion } = await createAdaptor(api, {
    zoneUuid: zone.uuid,
    name,
    description: given.description,
    adaptorTypeUuid: type?.uuid,
    capabilities,
    metadata,
    joins: async () => {
      held = await findHeldVersions(api, zone.uuid, versions);
      return held.length > 0;
    },
  });
  print(`${said[creation]}: ${name} (${registration.uuid}) in zone ${zone.name}`);
  writeProperties(
    given.propertiesFile,
    { registration, server, bus: given.bus, port: given.port },
    given.force ? 'OVERWRITE' : 'FAIL',
  );
  print(`wrote ${given.propertiesFile}, readable by you only; message bus ${given.bus ?? registration.messageBusUrl}`);
  if (given.skeleton !== undefined) print(writeSkeleton(given.skeleton, capabilities, given.force));
  if (creation === 'CREATED' && capabilities.length === 0 && type === undefined)
    print('the adaptor has no capability yet: run this again with --capability, or set them on the server');
  if (held.length > 0) {
    const joining = { server, zoneUuid: zone.uuid, adaptorUuid: registration.uuid, changeVersion, user };
    for (const line of joiningSteps(held, joining)) print(line);
  }
};
