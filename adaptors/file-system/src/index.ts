export { createFileSystemHandlers, type FileSystemTools } from './file-system-handlers.js';
export { openMonitoringState } from './state/monitoring-state.js';
export { openProcessingState } from './state/processing-state.js';
export { openStorages } from './storage/open-storages.js';
export type { FoundFile, Storage, Unreadable } from './storage/storage.js';
export type { Filter } from './filters/filter.js';
export type { Location } from './uris/location.js';
