const basic = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;

/** Client id and secret as one reading of a header. */
export interface ClientCredentials {
  readonly id: string;
  readonly secret: string;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text that is not UTF-8 is ISO-8859-1, as older clients send it. */
const textOf = (bytes: Buffer): string => {
  try {
    return utf8.decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
};

/** The text that form encoding stands for; undefined for a text that form encoding cannot produce. */
const formDecoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
};

/**
 * The credentials that a Basic header may stand for. RFC 6749 section 2.3.1 has client id and secret form-encoded, and
 * `curl -u` and many clients send them without encoding. Where both readings are possible and differ, the one without
 * encoding is first. Empty for every other header.
 */
export const readBasicCredentials = (header: string): readonly ClientCredentials[] => {
  const text = textOf(Buffer.from(basic.exec(header)?.[1] ?? '', 'base64'));
  const colon = text.indexOf(':');
  if (colon === -1) return [];
  const plain = { id: text.slice(0, colon), secret: text.slice(colon + 1) };
  const [id, secret] = [formDecoded(plain.id), formDecoded(plain.secret)];
  if (id === undefined || secret === undefined) return [plain];
  return id === plain.id && secret === plain.secret ? [plain] : [plain, { id, secret }];
};

/** Parts of the authentication of clients that choose between readings. */
export interface CredentialChecks {
  /** Whether a client with this id exists. */
  readonly isClient: (clientId: string) => Promise<boolean>;
  readonly isSecret: (credentials: ClientCredentials) => Promise<boolean>;
}

/** A client id with the secrets that a request may mean. */
export interface MeantClient {
  readonly id: string;
  readonly secrets: readonly string[];
}

/**
 * Decides which client the readings of a header name: the one that exists. When two clients exist, such as `a+b` and
 * `a b`, the secret decides.
 */
export const chooseClient = async (
  readings: readonly ClientCredentials[],
  { isClient, isSecret }: CredentialChecks,
): Promise<MeantClient | undefined> => {
  const [plain, decoded] = readings;
  if (plain === undefined) return undefined;
  if (decoded === undefined) return { id: plain.id, secrets: [plain.secret] };
  if (decoded.id === plain.id) return { id: plain.id, secrets: [plain.secret, decoded.secret] };
  const meansDecoded = (await isClient(decoded.id)) && (!(await isClient(plain.id)) || !(await isSecret(plain)));
  const { id, secret } = meansDecoded ? decoded : plain;
  return { id, secrets: [secret] };
};

/** A Basic header as the provider reads it. */
export const basicHeader = ({ id, secret }: ClientCredentials): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;
