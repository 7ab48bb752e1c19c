import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createBoundedCache, hashSecret, verifySecret, type Sealer } from '@fds/auth';
import type { Database } from '@fds/database';
import { AppError } from '@fds/errors';
import { createLanes } from '@fds/service';
import { createAttemptThrottle, type AttemptThrottle } from './attempt-throttle.js';

/** A client of the authorization server: a person's own account, or an adaptor. */
export interface Client {
  readonly kind: 'PERSON' | 'ADAPTOR';
  /** User name of the person, uuid of the adaptor. */
  readonly clientId: string;
  /** Uuid of the person or adaptor. */
  readonly uuid: string;
  /** Is it a program, which gets tokens for itself? Adaptors are, and service accounts; people sign in. */
  readonly isProgram: boolean;
}

/** A client that has proved who it is. */
export interface AuthenticatedClient extends Client {
  /** Epoch of the secret that was given, for `token_epoch` of the tokens. */
  readonly tokenEpoch: number;
  /** When the tokens end at the latest: a previous secret gives none that outlive it. Undefined: no limit. */
  readonly tokensUntil?: Date | undefined;
}

/** Finds clients live in the tables and holds their secrets against what is sent. */
export interface ClientAuthenticator {
  /** The active client of the id; undefined when there is none. */
  find(clientId: string): Promise<Client | undefined>;
  /**
   * The client when it is active and the secret is its own: a person's, an adaptor's, or an adaptor's previous one
   * during its grace period. After some failures each attempt takes longer; attempts of one client from one address are
   * made one after the other.
   *
   * @param address where the attempt comes from
   * @throws AppError RATE_LIMITED with `details.retryAfterSeconds` when it would have to wait too long
   */
  authenticate(clientId: string, secret: string, address: string): Promise<AuthenticatedClient | undefined>;
}

export interface ClientAuthenticatorOptions {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly now: () => Date;
  /** Slows guessing down. Default: one of this process. */
  readonly throttle?: AttemptThrottle | undefined;
  /** Told of every wrong secret. @param client whose it should have been; undefined for an unknown name */
  readonly onRefused?: ((client: Client | undefined, address: string) => void) | undefined;
}

const uuidText = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** In zones, and active in none of them. */
const deactivatedEverywhere = { memberships: { some: {}, every: { active: false } } };
const rememberedMs = 60_000;
const maxRemembered = 1_000;
/** A longer wait is the caller's own. */
const maxPauseMs = 2_000;

export const createClientAuthenticator = ({
  database: { prisma },
  sealer,
  now,
  throttle = createAttemptThrottle(now),
  onRefused,
}: ClientAuthenticatorOptions): ClientAuthenticator => {
  const macKey = randomBytes(32);
  const mac = (text: string): Buffer => createHmac('sha256', macKey).update(text).digest();
  /** Hash of a person's secret to the secret that was found to match: a new secret has a new hash. */
  const verified = createBoundedCache<string, { readonly mac: Buffer; readonly until: number }>(maxRemembered);

  const matchesHash = async (secret: string, hash: string): Promise<boolean> => {
    const known = verified.get(hash);
    if (known !== undefined && known.until > now().getTime() && timingSafeEqual(known.mac, mac(secret))) return true;
    if (!(await verifySecret(secret, hash))) return false;
    verified.set(hash, { mac: mac(secret), until: now().getTime() + rememberedMs });
    return true;
  };

  /** Matches nothing: an unknown name takes as long as a wrong password. */
  let nobody: Promise<string> | undefined;

  const findPerson = (username: string) =>
    prisma.person.findUnique({
      where: { username, active: true, secretHash: { not: null }, NOT: deactivatedEverywhere },
      select: { uuid: true, secretHash: true, serviceAccount: true, tokenEpoch: true },
    });

  const findRegistration = (uuid: string) =>
    prisma.adaptorRegistration.findUnique({ where: { adaptorUuid: uuid, adaptor: { active: true } } });

  const authenticatePerson = async (username: string, secret: string): Promise<AuthenticatedClient | undefined> => {
    const person = await findPerson(username);
    if (person === null)
      await verifySecret(secret, await (nobody ??= hashSecret(randomBytes(16).toString('base64url'))));
    if (person === null || person.secretHash === null) return undefined;
    if (!(await matchesHash(secret, person.secretHash))) return undefined;
    const { uuid, serviceAccount: isProgram, tokenEpoch } = person;
    return { kind: 'PERSON', clientId: username, uuid, isProgram, tokenEpoch };
  };

  const authenticateAdaptor = async (uuid: string, secret: string): Promise<AuthenticatedClient | undefined> => {
    const registration = await findRegistration(uuid);
    if (registration === null) return undefined;
    const { sealedSecret, previousSealedSecret, previousUntil, tokenEpoch } = registration;
    const sent = mac(secret);
    const isSent = (sealed: string): boolean => timingSafeEqual(mac(sealer.unseal(sealed)), sent);
    const client = { kind: 'ADAPTOR', clientId: uuid, uuid, isProgram: true, tokenEpoch } as const;
    if (isSent(sealedSecret)) return client;
    const inGrace = previousSealedSecret !== null && previousUntil !== null && previousUntil > now();
    return inGrace && isSent(previousSealedSecret) ? { ...client, tokensUntil: previousUntil } : undefined;
  };

  const find = async (clientId: string): Promise<Client | undefined> => {
    if (uuidText.test(clientId))
      return (await findRegistration(clientId)) === null
        ? undefined
        : { kind: 'ADAPTOR', clientId, uuid: clientId, isProgram: true };
    const person = await findPerson(clientId);
    return person === null
      ? undefined
      : { kind: 'PERSON', clientId, uuid: person.uuid, isProgram: person.serviceAccount };
  };

  const attempts = createLanes();

  const attempt = async (
    clientId: string,
    secret: string,
    address: string,
  ): Promise<AuthenticatedClient | undefined> => {
    const waitMs = throttle.waitMsOf(clientId, address);
    if (waitMs > maxPauseMs) {
      const retryAfterSeconds = Math.ceil(waitMs / 1000);
      throw new AppError('RATE_LIMITED', `too many failed attempts, try again in ${retryAfterSeconds} seconds`, {
        details: { retryAfterSeconds },
      });
    }
    if (waitMs > 0) await pause(waitMs);
    const client = await (uuidText.test(clientId)
      ? authenticateAdaptor(clientId, secret)
      : authenticatePerson(clientId, secret));
    if (client === undefined) {
      throttle.failed(clientId, address);
      onRefused?.(await find(clientId), address);
    } else throttle.succeeded(clientId, address);
    return client;
  };

  return {
    find,
    authenticate: (clientId, secret, address) =>
      attempts.run(`${address} ${clientId}`, () => attempt(clientId, secret, address)),
  };
};
