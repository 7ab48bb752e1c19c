import { AppError } from '@fds/errors';
import { CloseCode } from 'graphql-ws';
import type { SocketEnd } from '../subscriptions/create-subscriptions.js';
import { toReason } from './close-reasons.js';

export const tryAgainLater = 1013; // RFC 6455 registry
export const policyViolation = 1008; // RFC 6455, 7.4.1

/** A client that gets 4403 or 1013 connects again, with a new token if it has one, and resumes with its cursor. */
export const socketEnds: Readonly<Record<SocketEnd, { readonly code: number; readonly text: string }>> = {
  TOKEN_EXPIRED: { code: CloseCode.Forbidden, text: 'Token expired' },
  TOKEN_ENDED: { code: CloseCode.Forbidden, text: 'Token revoked' },
  TOO_SLOW: { code: tryAgainLater, text: 'Messages are not read fast enough: resume with your last cursor as after' },
};

const refusalNames: Readonly<Record<number, string>> = {
  [CloseCode.BadRequest]: 'Bad request',
  [CloseCode.Unauthorized]: 'Unauthorized',
  [CloseCode.Forbidden]: 'Forbidden',
  [CloseCode.InternalServerError]: 'Internal server error',
};

/** Why a caller may not enter, for the close frame. */
export const refusalOf = (code: number, error: unknown): string => {
  const name = refusalNames[code] ?? 'Unavailable';
  if (!(error instanceof AppError)) return name;
  const isWithoutToken = error.code === 'UNAUTHENTICATED' && error.details.reason === 'missing';
  const cause = isWithoutToken
    ? 'send {"authorization": "Bearer ..."} as the payload of connection_init'
    : (error.errors[0]?.detail ?? error.message);
  return toReason(`${name}: ${cause}`);
};

/** The close code for a caller who may not enter. */
export const closeCodeOf = (error: unknown): number => {
  if (!(error instanceof AppError)) return CloseCode.InternalServerError;
  if (error.code === 'UNAUTHENTICATED') return CloseCode.Unauthorized;
  if (error.code === 'INVALID_PARAMETER') return CloseCode.BadRequest;
  return error.code === 'FORBIDDEN' ? CloseCode.Forbidden : tryAgainLater;
};
