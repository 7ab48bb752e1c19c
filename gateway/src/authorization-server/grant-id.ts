import { randomBytes } from 'node:crypto';

/**
 * A grant belongs to one epoch of the person's secret, and its id contains that epoch: `<random>.<epoch>`. Codes,
 * refresh tokens and access tokens contain the id of their grant, so that all of them end with the epoch.
 */
export const newGrantId = (tokenEpoch: number): string => `${randomBytes(24).toString('base64url')}.${tokenEpoch}`;

const endingEpoch = /\.(\d{1,9})$/;

/** The epoch of a grant; 0 for ids without one. */
export const epochOfGrant = (grantId: string): number => Number(endingEpoch.exec(grantId)?.[1] ?? 0);
