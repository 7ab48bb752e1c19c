/** For tests of other packages: the chains read entry by entry. */
export { decideNaively } from './testing/naive-chains.js';
