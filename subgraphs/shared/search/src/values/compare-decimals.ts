import { Big } from 'big.js';

/** Exact. Below 0, 0, or above 0 as the first is less, equal or greater. @throws Error for a text that is not a number */
export const compareDecimals = (first: string, second: string): number => new Big(first).cmp(new Big(second));
