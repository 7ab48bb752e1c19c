export type { AdaptorOptions } from './adaptor-options.js';
export {
  type Adaptor,
  type AdaptorLog,
  EventTooLarge,
  type OutgoingEvent,
  type RunningAdaptor,
  type SourceFault,
  type StopReason,
} from './adaptor.js';
export {
  type AdaptorError,
  type AdaptorState,
  type AnsweredRecord,
  type AssemblyRequest,
  type DataAction,
  type DeletionLimit,
  type DomainVersionKey,
  type DownDataEvent,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  type Link,
  type LogEntry,
  parseJson,
  type Position,
  type Refusal,
  type RefusalCause,
  type RequestedRecord,
  stringifyJson,
  type UpDataEvent,
} from '@fds/adaptor-protocol';
export {
  type AdaptorConfiguration,
  type AdaptorHandlers,
  type Applied,
  type AppliedStore,
  ApplyError,
  type Assembled,
  type Capability,
  ConfigurationError,
  type ConfigurationRetry,
  type DomainHandlers,
  type DomainTable,
  type IncomingEvent,
  type NotApplied,
  type Retry,
} from './handlers.js';
export {
  areEqualJson,
  type Merged,
  mergeEvent,
  type MergeInput,
  newProperties,
  wasReadAbsent,
} from './merge/merge-event.js';
export { nearestTo } from './program/nearest.js';
export { type AdaptorProgram, runProgram } from './program/run-program.js';
export type { AdaptorProperties } from './properties/adaptor-properties.js';
export {
  PropertyFault,
  type PropertySources,
  propertySourcesOf,
  type PropertyTable,
  type PropertyValues,
  readProperties,
} from './properties/load-properties.js';
export {
  concurrencyRange,
  type ConcurrencyRange,
  flag,
  integerIn,
  type Property,
  text,
  urlOf,
  wordOf,
} from './properties/property.js';
export { runAdaptor, type RunOptions } from './run-adaptor.js';
export { BusRefused, startAdaptor } from './start-adaptor.js';
