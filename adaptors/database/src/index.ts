export { createDatabaseHandlers } from './database-handlers.js';
export type { StateStore } from './state/adaptor-state.js';
export { openFileStore } from './state/open-file-store.js';
