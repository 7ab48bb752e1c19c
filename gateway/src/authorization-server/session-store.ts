import type { Adapter, AdapterPayload } from 'oidc-provider';
import { commandLineClientId } from './login-client.js';

type Authorizations = Readonly<Record<string, unknown>>;

/**
 * The grant of a command line is not part of the browser's session: each sign-in of a command line has its own grant, and
 * ends by `fds logout` only. Otherwise command lines of several computers or people would end together.
 *
 * @returns undefined when the browser was used for command lines only
 */
const withoutCommandLine = (payload: AdapterPayload): AdapterPayload | undefined => {
  const { [commandLineClientId]: ofCommandLine, ...others } = (payload['authorizations'] ?? {}) as Authorizations;
  if (ofCommandLine === undefined) return payload;
  return Object.keys(others).length === 0 ? undefined : ({ ...payload, authorizations: others } as AdapterPayload);
};

/**
 * Sessions of browsers. Only sessions of signed-in people are stored. The provider also saves a session for an unknown
 * cookie, so that an anonymous caller could fill the table.
 */
export const createSessionStore = (artifacts: Adapter): Adapter => ({
  ...artifacts,
  upsert: async (id, payload, expiresIn) => {
    const kept = payload.accountId === undefined ? undefined : withoutCommandLine(payload);
    if (kept !== undefined) await artifacts.upsert(id, kept, expiresIn);
  },
});
