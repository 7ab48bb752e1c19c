import type { Adapter } from 'oidc-provider';

/**
 * Sessions of browsers. Only sessions of signed-in people are stored. The provider also saves a session for an unknown
 * cookie, so that an anonymous caller could fill the table.
 */
export const createSessionStore = (artifacts: Adapter): Adapter => ({
  ...artifacts,
  upsert: async (id, payload, expiresIn) => {
    if (payload.accountId !== undefined) await artifacts.upsert(id, payload, expiresIn);
  },
});
