export { takesEveryKey, versionOfAllRecords, type ListingFilter } from './listing-filter.js';
export { readVisibility } from './read-visibility.js';
export { noAdaptor, orderedSourcesOf, rowSourcesOf, type RowSource, type Writing } from './row-source.js';
export { writePerVersion, writeVisible, type RestrictedVersion, type Visibility } from './visibility.js';
