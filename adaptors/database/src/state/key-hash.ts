import { createHash } from 'node:crypto';

/** Replaces the key of a row if the length is limited. */
export const keyHash = (keyText: string): string => createHash('sha256').update(keyText).digest('hex');
