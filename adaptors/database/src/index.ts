export { createDatabaseHandlers } from './database-handlers.js';
export { openAdaptorState, type AdaptorState } from './state/adaptor-state.js';
