import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createBoundedCache, verifySecret, type Sealer } from '@fds/auth';
import type { Database } from '@fds/database';

/** A client of the authorization server: a person's own account, or an adaptor. */
export interface Client {
  readonly kind: 'PERSON' | 'ADAPTOR';
  /** User name of the person, uuid of the adaptor. */
  readonly clientId: string;
  /** Uuid of the person or adaptor. */
  readonly uuid: string;
}

/** Finds clients live in the tables and holds their secrets against what is sent. */
export interface ClientAuthenticator {
  /** The active client of the id; undefined when there is none. */
  find(clientId: string): Promise<Client | undefined>;
  /**
   * The client when it is active and the secret is its own: a person's, an adaptor's, or an adaptor's previous one
   * during its grace period.
   */
  authenticate(clientId: string, secret: string): Promise<Client | undefined>;
}

export interface ClientAuthenticatorOptions {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly now: () => Date;
}

const uuidText = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const rememberedMs = 60_000;
const maxRemembered = 1_000;

export const createClientAuthenticator = ({
  database: { prisma },
  sealer,
  now,
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

  const findPerson = (username: string) =>
    prisma.person.findUnique({
      where: { username, active: true, secretHash: { not: null } },
      select: { uuid: true, secretHash: true },
    });

  const findRegistration = (uuid: string) =>
    prisma.adaptorRegistration.findUnique({ where: { adaptorUuid: uuid, adaptor: { active: true } } });

  const authenticatePerson = async (username: string, secret: string): Promise<Client | undefined> => {
    const person = await findPerson(username);
    if (person === null || person.secretHash === null) return undefined;
    if (!(await matchesHash(secret, person.secretHash))) return undefined;
    return { kind: 'PERSON', clientId: username, uuid: person.uuid };
  };

  const authenticateAdaptor = async (uuid: string, secret: string): Promise<Client | undefined> => {
    const registration = await findRegistration(uuid);
    if (registration === null) return undefined;
    const { sealedSecret, previousSealedSecret, previousUntil } = registration;
    const inGrace = previousSealedSecret !== null && previousUntil !== null && previousUntil > now();
    const sent = mac(secret);
    const matches = [sealedSecret, ...(inGrace ? [previousSealedSecret] : [])].some((sealed) =>
      timingSafeEqual(mac(sealer.unseal(sealed)), sent),
    );
    return matches ? { kind: 'ADAPTOR', clientId: uuid, uuid } : undefined;
  };

  return {
    find: async (clientId) => {
      if (uuidText.test(clientId))
        return (await findRegistration(clientId)) === null ? undefined : { kind: 'ADAPTOR', clientId, uuid: clientId };
      const person = await findPerson(clientId);
      return person === null ? undefined : { kind: 'PERSON', clientId, uuid: person.uuid };
    },
    authenticate: (clientId, secret) =>
      uuidText.test(clientId) ? authenticateAdaptor(clientId, secret) : authenticatePerson(clientId, secret),
  };
};
