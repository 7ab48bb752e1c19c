export { once } from './once.js';
