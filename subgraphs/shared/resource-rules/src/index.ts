export { checkChangeVersion, requireNotStale, staleChangeVersion, type GivenChangeVersion } from './change-version.js';
export { FaultList } from './fault-list.js';
export { readCutDescription, readName, readText } from './text-rules.js';
