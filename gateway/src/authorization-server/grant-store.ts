import type { IdentityDirectory } from '@fds/identity';
import type { Adapter } from 'oidc-provider';

export interface GrantStoreOptions {
  readonly artifacts: Adapter;
  readonly directory: Pick<IdentityDirectory, 'revokeGrant'>;
  /** Lifetime of access tokens. */
  readonly tokenSeconds: number;
  readonly now: () => Date;
}

/** Margin for an access token that is issued while the grant ends. */
const marginSeconds = 60;

/**
 * Grants: the access that a person gave to a client by signing in. Signing out, revoking, or using a refresh token
 * twice ends a grant. Its access tokens are refused from then on.
 */
export const createGrantStore = ({ artifacts, directory, tokenSeconds, now }: GrantStoreOptions): Adapter => ({
  ...artifacts,
  destroy: async (id) => {
    await directory.revokeGrant(id, new Date(now().getTime() + (tokenSeconds + marginSeconds) * 1000));
    await artifacts.destroy(id);
  },
});
