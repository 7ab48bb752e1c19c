import { stringifyJson } from '@fds/json';
import type { CommandContext } from '../command-context.js';
import { exitStatus, Failure, usageFailure } from '../failure.js';
import { plainText } from '../print-rows.js';
import { Names, textOf, type Named, type Resource } from '@fds/rest-facade/configuration';

export type Recipe = 'steward' | 'reader' | 'app';

export interface GrantOptions {
  readonly passwordStdin?: boolean;
  readonly json?: boolean;
}

const stewardRole = 'Zone Data Steward';
const readerRole = 'Reader';

const uuidOf = ({ resource }: Named): string => textOf(resource['uuid']);

const findIn = async (
  { hub }: CommandContext,
  path: string,
  member: string,
  name: string,
): Promise<Resource | undefined> => (await hub.list<Resource>(path)).find((each) => each[member] === name);

/**
 * The role of readers of a zone: it is created when the zone has none. Outside of Root, a rule limits it to the data of
 * the zone, as it limits the zone's data stewards.
 */
const requireReaderRole = async (context: CommandContext, zone: Named): Promise<Resource> => {
  const path = `/zones/${uuidOf(zone)}/roles`;
  const known = await findIn(context, path, 'name', readerRole);
  if (known !== undefined) return known;
  const role = await context.hub.write<Resource>('POST', path, {
    name: readerRole,
    description: 'Reads domains and records',
    permissions: ['/zones', `/zones/${uuidOf(zone)}`, '/domains/*', '/drs/*'].map((resource) => ({
      action: 'GET',
      resource,
    })),
  });
  if (zone.resource['parentZoneUuid'] !== null) {
    const rule = { effect: 'ALLOW', actions: ['GET'], zoneUuid: uuidOf(zone) };
    await context.hub.write('POST', `${path}/${textOf(role['uuid'])}/data-access-rules`, rule);
  }
  context.say(`The role ${readerRole} of ${zone.name} was created`);
  return role;
};

const requireStewardRole = async (context: CommandContext, zone: Named): Promise<Resource> => {
  const role = await findIn(context, `/zones/${uuidOf(zone)}/roles`, 'name', stewardRole);
  if (role === undefined) throw new Failure(exitStatus.notFound, `${zone.name} has no role ${stewardRole}`);
  return role;
};

/** Gives the role to a user of the zone who may have others. */
const addRole = async ({ hub, say }: CommandContext, zone: Named, user: Resource, role: Resource): Promise<void> => {
  const held = user['roleUuids'] as readonly string[];
  const roleUuid = textOf(role['uuid']);
  const words = `${textOf(user['username'])}: ${textOf(role['name'])} of ${zone.name}`;
  if (held.includes(roleUuid)) return say(plainText(`${words} is held already`));
  await hub.write('PATCH', `/zones/${uuidOf(zone)}/users/${textOf(user['uuid'])}`, {
    roleUuids: [...held, roleUuid],
    changeVersion: user['changeVersion'],
  });
  say(plainText(`${words} is granted`));
};

/** A refusal says who can help: the service lets a caller grant only the permissions that the caller holds. */
const explainRefusal = (error: unknown, recipe: Recipe, zone: Named): never => {
  if (!(error instanceof Failure) || error.status !== exitStatus.forbidden) throw error;
  const path = `/zones/${uuidOf(zone)}`;
  throw new Failure(
    error.status,
    `${error.message}\nTo grant a ${recipe}, you need the permissions of a ${stewardRole} of ${zone.name}, and in addition GET, POST and PATCH on ${path}/users/* and ${path}/roles/*. An administrator of the zone can give you these: POST ${path}/permissions`,
  );
};

/** `fds grant <recipe> <zone> <name>`: makes a user a steward or reader of a zone, or creates an application that reads. */
export const grant = async (
  context: CommandContext,
  recipe: Recipe,
  zonePath: string,
  name: string,
  { passwordStdin, json }: GrantOptions,
): Promise<void> => {
  if (recipe === 'app' && passwordStdin === true)
    throw usageFailure('an application has no password: it gets a client secret');
  const zone = await new Names(context.hub).zone(zonePath);
  try {
    const role = await (recipe === 'steward' ? requireStewardRole(context, zone) : requireReaderRole(context, zone));
    const users = `/zones/${uuidOf(zone)}/users`;
    const user = await findIn(context, users, 'username', name);
    if (user !== undefined) {
      if (recipe === 'app' && user['serviceAccount'] !== true)
        throw new Failure(exitStatus.conflict, `${name} is a person, not an application`);
      return await addRole(context, zone, user, role);
    }
    const password = passwordStdin === true ? (await context.readInput()).replace(/\r?\n$/, '') : undefined;
    const created = await context.hub.write<Resource>('POST', users, {
      username: name,
      ...(recipe === 'app' ? { serviceAccount: true } : { name }),
      ...(password === undefined ? {} : { password }),
      roleUuids: [role['uuid']],
    });
    context.say(plainText(`${name} was created, with the role ${textOf(role['name'])} of ${zone.name}`));
    const { clientId, clientSecret } = created as { readonly clientId?: string; readonly clientSecret?: string };
    if (recipe !== 'app') {
      if (password === undefined) context.say(`${name} has no password yet: set one, or give an ssoId`);
    } else if (json === true) context.print(stringifyJson({ clientId, clientSecret }, 2));
    else context.print(`client id:     ${clientId}\nclient secret: ${clientSecret}`);
  } catch (error) {
    explainRefusal(error, recipe, zone);
  }
};
