export { packAdaptors } from './pack-adaptors.js';
export { swapIn, swapOut } from './swap-package.js';
