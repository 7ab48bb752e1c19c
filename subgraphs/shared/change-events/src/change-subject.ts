import type { DataVersion } from '@fds/access-rules';
import { isJsonObject, type JsonValue } from '@fds/json';
import type { ChangeEvent } from './change-event.js';

/** A domain version as data access rules read it. */
export interface SubjectVersion extends DataVersion {
  readonly domainType: 'FEDERATED' | 'SERVICE_DATA_STORE';
}

/** The facts that data access rules need to decide on a change of data. Looked up once for all receivers. */
export interface ChangeSubject {
  /** The version of the record or of the issue; undefined: the change names none, or the version was deleted. */
  readonly version: SubjectVersion | undefined;
  /** Zone of the adaptor that `subjectOfChange` names; undefined: there is no such adaptor. */
  readonly adaptorZoneUuid: string | undefined;
}

/** The uuids by which a subject is looked up. */
export interface SubjectNames {
  readonly domainVersionUuid: string | undefined;
  readonly adaptorUuid: string | undefined;
}

const textOf = (value: JsonValue | undefined): string | undefined => (typeof value === 'string' ? value : undefined);
const uuidIn = (value: JsonValue | undefined): string | undefined =>
  isJsonObject(value) ? textOf(value['uuid']) : undefined;

/** The names in a change of data; undefined for changes that no data access rule concerns. */
export const subjectOfChange = ({ resourceType, actorUuid, data }: ChangeEvent): SubjectNames | undefined => {
  const members = isJsonObject(data) ? data : {};
  if (resourceType === 'Dr') {
    return { domainVersionUuid: textOf(members['domainVersionUuid']), adaptorUuid: actorUuid };
  }
  if (resourceType !== 'DataIssue') return undefined;
  return { domainVersionUuid: uuidIn(members['domainVersion']), adaptorUuid: uuidIn(members['adaptor']) };
};
