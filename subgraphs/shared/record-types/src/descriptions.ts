import type { RecordTypeDefinition } from './record-type-definition.js';

/** Description of a record type. */
export const recordDescription = ({ domainName, versionNumber }: RecordTypeDefinition): string =>
  `A data record of ${domainName}, version ${versionNumber}.`;

/** Description of a record query field. */
export const pageDescription = ({ domainName, versionNumber, domainType }: RecordTypeDefinition): string =>
  domainType === 'FEDERATED'
    ? `Data records of ${domainName}, version ${versionNumber}, assembled from their sources.`
    : `Data records of ${domainName}, version ${versionNumber}.`;
