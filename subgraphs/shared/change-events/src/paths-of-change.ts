import { isJsonObject } from '@fds/json';
import type { ChangeEvent } from './change-event.js';

const uuidOf = (value: unknown): string | undefined => {
  const uuid = isJsonObject(value) ? value['uuid'] : undefined;
  return typeof uuid === 'string' ? uuid : undefined;
};

const pathsOfIssue = ({ zoneUuid, resourceUuid, data }: ChangeEvent): readonly string[] => {
  if (!isJsonObject(data)) return [];
  const version = data['domainVersion'];
  const [adaptorUuid, versionUuid] = [uuidOf(data['adaptor']), uuidOf(version)];
  if (adaptorUuid === undefined) return [];
  const adaptor = `/zones/${zoneUuid}/adaptors/${adaptorUuid}`;
  const domainUuid = isJsonObject(version) ? uuidOf(version['domain']) : undefined;
  return [
    `${adaptor}/issues/${resourceUuid}`,
    ...(domainUuid === undefined || versionUuid === undefined
      ? []
      : [`${adaptor}/domains/${domainUuid}/versions/${versionUuid}/issues/${resourceUuid}`]),
  ];
};

/** The paths below `/api` at which the API shows the changed resource, the one of the message first. */
export const pathsOfChange = (change: ChangeEvent): readonly string[] => {
  const { resourceType, resource, resourceUuid, zoneUuid } = change;
  if (resourceType === 'DomainVersion') return [resource, `/domains/versions/${resourceUuid}`];
  if (resourceType === 'DataIssue') return [resource, ...pathsOfIssue(change)];
  if (resourceType === 'Preference') {
    return [resource, `/zones/${zoneUuid}/adaptors/settings/domain-version-adaptor-preferences/${resourceUuid}`];
  }
  return [resource];
};
