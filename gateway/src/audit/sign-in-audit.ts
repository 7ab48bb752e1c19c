import type { Change } from '@fds/database';
import { createKindBudgets, cutText, type EventForm, type KindBudgetsOptions } from './kind-budgets.js';
import { openCountedEntries, type AuditResources, type CountedEntries } from './open-counted-entries.js';

/** The way in which an actor signed in or out, or got a token. */
type SignInWay =
  | 'PASSWORD'
  | 'EXTERNAL_PROVIDER'
  | 'AUTHORIZATION_CODE'
  | 'CLIENT_CREDENTIALS'
  | 'REFRESH_TOKEN'
  | 'BUS'
  | 'LOGOUT'
  | 'REVOCATION'
  | 'TOKEN_REUSED';

/** A successful sign-in, an issued token, or the end of a sign-in. It has no secret. */
export interface SignIn {
  /** Person or adaptor. */
  readonly actorUuid: string | undefined;
  readonly way: SignInWay | 'OTHERS';
  /** Path of the door. */
  readonly resource: string;
  /** The OAuth 2.0 client; undefined where none took part. */
  readonly clientId?: string | undefined;
  /** Address and program of the request; undefined where the service asked itself. */
  readonly address?: string | undefined;
  readonly userAgent?: string | undefined;
}

/** Sign-ins and sign-outs in the change log, with a window of an hour. */
export type SignInAudit = CountedEntries<SignIn>;

const windowMs = 3_600_000;
/** Persons and adaptors that sign in are known, so their number is that of the deployment. */
const bounds: KindBudgetsOptions = { maxActorKinds: 20, maxActors: 10_000, maxKinds: 20_000 };
const maxIdBytes = 256;
const maxAgentBytes = 200;
const maxAddressBytes = 64;
const endings: ReadonlySet<SignIn['way']> = new Set(['LOGOUT', 'REVOCATION', 'TOKEN_REUSED']);

const toChange = ({ actorUuid, resource, ...data }: SignIn, count: number): Change => {
  const hasEnded = endings.has(data.way);
  return {
    action: hasEnded ? 'DELETE' : 'POST',
    resourceType: hasEnded ? 'SignOut' : 'SignIn',
    resource,
    ...(actorUuid === undefined ? {} : { actorUuid }),
    data: { ...data, count },
  };
};

const cutOrNot = (text: string | undefined, maxBytes: number): string | undefined =>
  text === undefined || text === '' ? undefined : cutText(text, maxBytes);

const signInForm: EventForm<SignIn> = {
  shorten: ({ actorUuid, way, resource, clientId, address, userAgent }) => ({
    actorUuid,
    way,
    resource,
    clientId: cutOrNot(clientId, maxIdBytes),
    address: cutOrNot(address, maxAddressBytes),
    userAgent: cutOrNot(userAgent, maxAgentBytes),
  }),
  keyOf: ({ way, resource, clientId, address, userAgent }) =>
    JSON.stringify([way, resource, clientId, address, userAgent]),
  othersOf: (actorUuid) => ({ actorUuid, way: 'OTHERS', resource: '/' }),
};

/** It takes successes only: failures are refusals. */
export const openSignInAudit = (options: AuditResources & Pick<KindBudgetsOptions, 'onExceeded'>): SignInAudit =>
  openCountedEntries({
    ...options,
    budgets: createKindBudgets(signInForm, { ...bounds, onExceeded: options.onExceeded }),
    toChange,
    windowMs,
    what: 'sign-ins',
  });
