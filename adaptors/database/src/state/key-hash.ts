import { createHash } from 'node:crypto';

/** Stands for the key of a row where its length is limited. */
export const keyHash = (keyText: string): string => createHash('sha256').update(keyText).digest('hex');
