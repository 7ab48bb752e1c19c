export { expandRecords } from './expand-records.js';
export { fillPlace, linkPlaces, replacePlaces, type ReferencedRecord, type ShowingContext } from './linked-places.js';
export type { LinkedVersion, LinkedVersions } from './linked-version.js';
export { loadLinks, type LinkedRecord, type LinkReader } from './load-links.js';
export {
  linkRequestKey,
  maxLinks,
  readReferenceLinks,
  requestLinks,
  type LinkArguments,
  type LinkRequest,
  type ReferenceLinks,
} from './reference-links.js';
export { createPlaceReader, type ReferencePlace, type ReferringRecord } from './reference-places.js';
