import { verifySecret, type Principal } from '@fds/auth';
import type { HostedAdaptors } from '@fds/catalog';
import type { CheckQueue, IdentityDirectory } from '@fds/identity';
import { isJsonObject, type JsonValue } from '@fds/json';
import type { RestWorld } from '@fds/rest-facade/configuration';

export interface SecretSources {
  readonly adaptors: Pick<HostedAdaptors, 'loadMetadata'>;
  readonly directory: Pick<IdentityDirectory, 'readSecretHash'>;
  /** Secrets are compared in the queue of all password checks. */
  readonly passwordQueue: Pick<CheckQueue, 'run'>;
}

const valueAt = (value: JsonValue | undefined, segments: readonly string[]): JsonValue | undefined => {
  const [name, ...rest] = segments;
  if (name === undefined) return value;
  if (Array.isArray(value)) return valueAt(value[Number(name)] as JsonValue | undefined, rest);
  return isJsonObject(value) ? valueAt(value[name], rest) : undefined;
};

/** Compares a secret of a document with the one in effect. A caller who may not change it learns nothing about it. */
export type HoldsSecret = (principal: Principal, ...compared: Parameters<RestWorld['holdsSecret']>) => Promise<boolean>;

/**
 * Compares a secret of a document with the one in effect: metadata of adaptors, and passwords. Other secrets cannot be
 * compared, and count as changed.
 */
export const createHoldsSecret =
  ({ adaptors, directory, passwordQueue }: SecretSources): HoldsSecret =>
  async (principal, kind, resource, pointer, value) => {
    const [, member, ...rest] = pointer.split('/');
    const { uuid, zoneUuid, userUuid } = resource;
    if (kind === 'Adaptor' && member === 'metadata' && typeof uuid === 'string' && typeof zoneUuid === 'string') {
      if (!principal.permits('PATCH', `/zones/${zoneUuid}/adaptors/${uuid}`)) return false;
      return valueAt((await adaptors.loadMetadata(uuid)) ?? undefined, rest) === value;
    }
    if (kind !== 'User' || typeof userUuid !== 'string' || typeof value !== 'string') return false;
    const secret = await directory.readSecretHash(userUuid);
    if (secret === undefined) return false;
    const mayChange = secret.memberships.every((each) =>
      principal.permits('PATCH', `/zones/${each.zoneUuid}/users/${each.uuid}`),
    );
    return mayChange && passwordQueue.run(principal.uuid, () => verifySecret(value, secret.hash));
  };
