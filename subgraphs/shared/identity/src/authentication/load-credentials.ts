import type { Database } from '@fds/database';

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

/** A sealed secret of an adaptor. */
interface SealedSecret {
  readonly sealed: string;
  /** The previous secret ends then; undefined for the present one. */
  readonly until?: Date;
}

/** An active client with everything that a secret is compared with. */
export interface Credentials {
  readonly client: Client;
  /** Epoch of the present secret, see `token_epoch`. */
  readonly tokenEpoch: number;
  /** A hash for persons, sealed secrets for adaptors. */
  readonly secret: { readonly hash: string } | { readonly sealed: readonly SealedSecret[] };
}

const uuidText = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Does the id name an adaptor, known or not? Every other id is a user name. */
export const namesAdaptor = (clientId: string): boolean => uuidText.test(clientId);

type Pool = Database['pool'];

interface PersonRow {
  readonly uuid: string;
  readonly secret_hash: string;
  readonly service_account: boolean;
  readonly token_epoch: number;
}

// plain prepared statements: an attacker causes one for each name
const loadPerson = async (pool: Pool, username: string): Promise<Credentials | undefined> => {
  const { rows } = await pool.query<PersonRow>({
    name: 'credentials-of-person',
    text: `SELECT uuid, secret_hash, service_account, token_epoch FROM person
           WHERE username = $1 AND active AND secret_hash IS NOT NULL
             AND (NOT EXISTS (SELECT FROM zone_user WHERE person_uuid = person.uuid)
                  OR EXISTS (SELECT FROM zone_user WHERE person_uuid = person.uuid AND zone_user.active))`,
    values: [username],
  });
  const [person] = rows;
  if (person === undefined) return undefined;
  return {
    client: { kind: 'PERSON', clientId: username, uuid: person.uuid, isProgram: person.service_account },
    tokenEpoch: person.token_epoch,
    secret: { hash: person.secret_hash },
  };
};

interface RegistrationRow {
  readonly sealed_secret: string;
  readonly previous_sealed_secret: string | null;
  readonly previous_until: Date | null;
  readonly token_epoch: number;
}

const loadAdaptor = async (pool: Pool, uuid: string): Promise<Credentials | undefined> => {
  const { rows } = await pool.query<RegistrationRow>({
    name: 'credentials-of-adaptor',
    text: `SELECT sealed_secret, previous_sealed_secret, previous_until, token_epoch
           FROM adaptor_registration JOIN adaptor ON adaptor.uuid = adaptor_uuid
           WHERE adaptor_uuid = $1 AND adaptor.active`,
    values: [uuid],
  });
  const [registration] = rows;
  if (registration === undefined) return undefined;
  const { sealed_secret: sealed, previous_sealed_secret: previous, previous_until: until } = registration;
  return {
    client: { kind: 'ADAPTOR', clientId: uuid, uuid, isProgram: true },
    tokenEpoch: registration.token_epoch,
    secret: { sealed: [{ sealed }, ...(previous === null || until === null ? [] : [{ sealed: previous, until }])] },
  };
};

/** The active client of the id; undefined when no such client exists. One statement. */
export const loadCredentials = (
  { pool }: Pick<Database, 'pool'>,
  clientId: string,
): Promise<Credentials | undefined> => {
  // PostgreSQL has no text with this character, so no client has such an id
  if (clientId.includes('\u0000')) return Promise.resolve(undefined);
  return namesAdaptor(clientId) ? loadAdaptor(pool, clientId) : loadPerson(pool, clientId);
};
