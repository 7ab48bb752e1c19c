export { createRootZone } from './catalog/create-root-zone.js';
export { loadAclEntries, loadActiveAclEntries } from './governance/load-acl-entries.js';
export { loadAttachedRecords, type AclKey } from './governance/load-attached-records.js';
export { deadAfterMs, isLiving } from './governance/living-process.js';
export { loadOperationalEntries } from './governance/load-operational-entries.js';
export { saveDecisionCounts } from './governance/save-decision-counts.js';
export { saveRecordValues, type SavedValues } from './records/save-record-values.js';
