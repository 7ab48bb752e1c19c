import type { Sealer } from '@fds/auth';
import { noCredentials, type Credentials } from '../../domain/registration/credentials.js';

/** @returns null for empty credentials */
export const sealCredentials = (sealer: Sealer, credentials: Credentials): string | null =>
  Object.keys(credentials.headers).length === 0 && credentials.clientSecret === null
    ? null
    : sealer.seal(JSON.stringify(credentials));

/** @throws Error when they were sealed with another key */
export const unsealCredentials = (sealer: Sealer, sealed: string | null): Credentials =>
  sealed === null ? noCredentials : (JSON.parse(sealer.unseal(sealed)) as Credentials);
