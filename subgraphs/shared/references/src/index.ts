export { expandRecords, readYield, type Expansion, type NestedRecord } from './expand-records.js';
export { fillPlace, linkPlaces, replacePlaces, type ReferencedRecord, type ShowingContext } from './linked-places.js';
export type { LinkedVersion, LinkedVersions } from './linked-version.js';
export { loadLinkedUuids, loadLinks, type LinkedRecord, type LinkReader, type LinkVisibility } from './load-links.js';
export {
  linkRequestKey,
  maxLinks,
  readReferenceLinks,
  requestLinks,
  type LinkArguments,
  type LinkRequest,
  type ReferenceLinks,
} from './reference-links.js';
export {
  createPlaceReader,
  type ListPlaces,
  type PlaceOptions,
  type ReferencePlace,
  type ReferringRecord,
} from './reference-places.js';
