export { AppError, type AppErrorOptions, type ErrorCause } from './app-error.js';
export { renderErrorsPage } from './render-errors-page.js';
export { errorCatalogue, errorCodes, isErrorCode, type ErrorCode, type ErrorDefinition } from './error-catalogue.js';
export { readTogether } from './read-together.js';
export { checkChangeVersion, requireNotStale, staleChangeVersion, type GivenChangeVersion } from './change-version.js';
export { FaultList } from './fault-list.js';
export { readCutDescription, readName, readText } from './text-rules.js';
