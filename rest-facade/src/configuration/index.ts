export { fillSecrets } from './fill-secrets.js';
export { kinds, openReading, type Kind, type Shown } from './kinds.js';
export { eachOf, Names, requireNamed, textOf, type Named, type Resource } from './names.js';
export type { CreatedClient, PlannedChange, RestWorld } from './plan.js';
export { planDocuments, type PlannedDocuments } from './plan-documents.js';
export { readYaml, type YamlDocument } from './read-yaml.js';
export { isRefused, Refused, type RefusalCause, type RestReader } from './rest-client.js';
