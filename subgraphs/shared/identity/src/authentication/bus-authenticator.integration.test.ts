import { createSealer, createTokenVerifier } from '@fds/auth';
import { openTestDatabase } from '@fds/database/testing';
import { openIdentityDirectory } from '../directory/identity-directory.js';
import { createLog } from '@fds/service';
import { expect, it } from '@jest/globals';
import { v7 as newUuid } from 'uuid';
import { createBusAuthenticator } from './bus-authenticator.js';
import { createClientAuthenticator } from './client-authenticator.js';

const log = createLog('silent');
const now = (): Date => new Date();

it('the bus tells an adaptor to try again while the database cannot be reached', async () => {
  const [database, own] = await Promise.all([openTestDatabase(), openTestDatabase()]);
  const directory = await openIdentityDirectory({ database, log, now });
  try {
    const clients = createClientAuthenticator({ database: own, sealer: createSealer(Buffer.alloc(32)), now });
    const keys = () => Promise.resolve({ keys: [] });
    const verifier = createTokenVerifier({ issuer: 'http://fds.example', audiences: ['urn:fds'], keys, now });
    const authenticate = createBusAuthenticator({ clients, verifier, directory, log });
    const adaptorUuid = newUuid();
    expect(await authenticate(adaptorUuid, 'secret', 'here')).toBe('REFUSED');
    await own.drop();
    expect(await authenticate(adaptorUuid, 'secret', 'here')).toBe('UNAVAILABLE');
  } finally {
    await directory.close();
    await database.drop();
  }
});
