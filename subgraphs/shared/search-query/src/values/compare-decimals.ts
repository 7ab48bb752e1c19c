import { Big } from 'big.js';

/** Below 0, 0, or above 0 as the first is less, equal or greater; exact. @throws Error for a text that is no number */
export const compareDecimals = (first: string, second: string): number => new Big(first).cmp(new Big(second));
