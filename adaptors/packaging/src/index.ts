export { packAdaptors } from './pack-adaptors.js';
