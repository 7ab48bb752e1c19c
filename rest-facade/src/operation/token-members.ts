import { objectOf, type LeafShape, type Member, type ObjectShape, type Shape } from '../answer/answer-shape.js';

/**
 * The token's members of GET `/token` (docs/reference/login.md#the-callers-token). Times are epoch
 * milliseconds.
 */
export interface TokenMembers {
  readonly active: true;
  readonly clientId: string | undefined;
  readonly issuer: string | undefined;
  readonly issuedAt: number | undefined;
  readonly expiresAt: number | undefined;
  readonly scope: string | undefined;
}

const leaf = (format: LeafShape['format'], description?: string): LeafShape => ({
  kind: 'leaf',
  format,
  nullable: false,
  description,
});
const time = leaf('int64', 'Epoch milliseconds');

const claimed: readonly Member[] = [
  { name: 'active', shape: leaf('boolean'), always: true },
  { name: 'clientId', shape: leaf('text'), always: false },
  { name: 'issuer', shape: leaf('text'), always: true },
  { name: 'issuedAt', shape: time, always: true },
  { name: 'expiresAt', shape: time, always: true },
  { name: 'scope', shape: leaf('text'), always: false },
];

/** The answer of GET `/token`: the token's claims, and its holder. */
export const tokenShape = (holder: Shape): ObjectShape => {
  const { members = [] } = objectOf(holder) ?? {};
  return { kind: 'object', type: 'Token', nullable: false, members: [...claimed, ...members] };
};

const textOf = (claim: unknown): string | undefined => (typeof claim === 'string' ? claim : undefined);
const epochMsOf = (claim: unknown): number | undefined => (typeof claim === 'number' ? claim * 1000 : undefined);

/**
 * Reads the claims of a verified bearer token. It does not check the signature.
 *
 * @param authorization the header, `Bearer <JWT>`
 */
export const tokenMembers = (authorization: string): TokenMembers => {
  const [, payload = ''] = authorization.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Readonly<Record<string, unknown>>;
  return {
    active: true,
    clientId: textOf(claims['client_id']),
    issuer: textOf(claims['iss']),
    issuedAt: epochMsOf(claims['iat']),
    expiresAt: epochMsOf(claims['exp']),
    scope: textOf(claims['scope']),
  };
};
