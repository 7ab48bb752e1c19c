import { toSegment } from '@fds/json';
import type { ErrorCause } from '@fds/errors';
import { targetFault, type TargetRule } from '../target/target-fault.js';

/** How the service authenticates to the authorization server. The short names are synonyms. */
const clientAuthenticationMethods = [
  'basic',
  'client_secret_basic',
  'post',
  'client_secret_post',
  'client_secret_jwt',
  'none',
] as const;

export type ClientAuthenticationMethod = (typeof clientAuthenticationMethods)[number];

/** An OAuth 2.0 client of the receiver's authorization server. It has `issuerUri`, `tokenUri` or both. */
export interface OAuth2Registration {
  readonly issuerUri?: string | null;
  readonly tokenUri?: string | null;
  readonly authorizationUri?: string | null;
  readonly jwkSetUri?: string | null;
  readonly clientId: string;
  readonly clientSecret?: string | null;
  readonly clientAuthenticationMethod?: string | null;
  readonly authorizationGrantType?: string | null;
  /** Scopes, separated by commas. Blank: the default of the authorization server. */
  readonly scope?: string | null;
}

const uriMembers = ['issuerUri', 'tokenUri', 'authorizationUri', 'jwkSetUri'] as const;
const textMembers = [
  'clientId',
  'clientSecret',
  'clientAuthenticationMethod',
  'authorizationGrantType',
  'scope',
] as const;
const members: ReadonlySet<string> = new Set([...uriMembers, ...textMembers]);
const maxTextLength = 4096;

export const isClientAuthenticationMethod = (method: string): method is ClientAuthenticationMethod =>
  (clientAuthenticationMethods as readonly string[]).includes(method);

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === '';

/** The scopes as the token endpoint expects them: separated by blanks. Undefined without scopes. */
export const scopeOf = ({ scope }: OAuth2Registration): string | undefined => {
  const scopes = (scope ?? '').split(/[\s,]+/).filter((name) => name !== '');
  return scopes.length === 0 ? undefined : scopes.join(' ');
};

/** Every reason against a registration, with its place. Values are not repeated where they may be secrets. */
export const oauth2Faults = (value: unknown, pointer: string, rule: TargetRule): ErrorCause[] => {
  if (value === undefined || value === null) return [];
  const fault = (member: string, detail: string): ErrorCause => ({
    pointer: member === '' ? pointer : `${pointer}/${member}`,
    code: 'INVALID_VALUE',
    detail,
  });
  if (typeof value !== 'object' || Array.isArray(value)) return [fault('', 'must be an object')];
  const body = value as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(body)
    .filter((member) => !members.has(member))
    .map((member) => fault(toSegment(member), `"${member}" is not a member of oauth2Registration`));
  const ofTexts = [...uriMembers, ...textMembers].flatMap((member) => {
    const text = body[member];
    if (isAbsent(text)) return [];
    if (typeof text !== 'string') return [fault(member, 'must be a text')];
    return text.length > maxTextLength ? [fault(member, `is longer than ${maxTextLength} characters`)] : [];
  });
  const ofUris = uriMembers.flatMap((member) => {
    const uri = body[member];
    const reason = typeof uri === 'string' && uri !== '' ? targetFault(uri, rule) : undefined;
    return reason === undefined ? [] : [fault(member, reason)];
  });
  const method = body['clientAuthenticationMethod'];
  const grant = body['authorizationGrantType'];
  return [
    ...unknown,
    ...ofTexts,
    ...ofUris,
    ...(isAbsent(body['issuerUri']) && isAbsent(body['tokenUri']) ? [fault('', 'needs issuerUri or tokenUri')] : []),
    ...(isAbsent(body['clientId']) ? [fault('clientId', 'is required')] : []),
    ...(isAbsent(body['clientSecret']) && method !== 'none' ? [fault('clientSecret', 'is required')] : []),
    ...(typeof method === 'string' && method !== '' && !isClientAuthenticationMethod(method)
      ? [fault('clientAuthenticationMethod', `"${method}" is none of ${clientAuthenticationMethods.join(', ')}`)]
      : []),
    ...(typeof grant === 'string' && grant !== '' && grant !== 'client_credentials'
      ? [fault('authorizationGrantType', `"${grant}" is not client_credentials`)]
      : []),
  ];
};
