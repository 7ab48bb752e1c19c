export { createTemporalHandlers, type TemporalOptions } from './temporal-handlers.js';
