export { type Adaptor, type AdaptorLog, EventTooLarge, type OutgoingEvent, type RunningAdaptor } from './adaptor.js';
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
  type IncomingEvent,
  type Retry,
} from './handlers.js';
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
export { type AdaptorOptions, BusRefused, startAdaptor } from './start-adaptor.js';
