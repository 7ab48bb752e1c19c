import type { CursorSealer } from '@fds/auth';
import {
  compileEvents,
  notifiedTypes,
  parseEvents,
  registrationRefusal,
  seeChange,
  toMetadataMessage,
  type ChangeEvent,
  type EventSource,
} from '@fds/change-events';
import { AppError, FaultList } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';
import { isJsonObject, type JsonValue } from '@fds/json';
import { readCursor } from '../read-cursor.js';

export interface MetadataArguments {
  readonly events?: readonly unknown[] | null;
  readonly after?: string | null;
}

interface Reference {
  readonly uuid: string;
}

const everything = [{ resource: '/*', actions: ['ALL'] }] as const;

const reference = (uuid: JsonValue | undefined): Reference | null => (typeof uuid === 'string' ? { uuid } : null);
const uuidIn = (value: JsonValue | undefined): JsonValue | undefined =>
  isJsonObject(value) ? value['uuid'] : undefined;

/** The resources of a change, as references that other subgraphs resolve for the caller. */
const referencesOf = ({ resourceType, resourceUuid, zoneUuid, data }: ChangeEvent) => {
  const members = isJsonObject(data) ? data : {};
  const ofType = (...types: string[]): boolean => types.includes(resourceType);
  return {
    zone: reference(zoneUuid),
    adaptor: reference(
      ofType('Adaptor', 'AdaptorState') ? resourceUuid : (uuidIn(members['adaptor']) ?? members['adaptorUuid']),
    ),
    domain: reference(ofType('Domain') ? resourceUuid : (uuidIn(members['domain']) ?? members['domainUuid'])),
    domainVersion: reference(
      ofType('DomainVersion') ? resourceUuid : (uuidIn(members['domainVersion']) ?? members['domainVersionUuid']),
    ),
    record: reference(ofType('Dr') ? resourceUuid : members['drUuid']),
  };
};

/** Changes of resources, for `metadataEvents`. @throws AppError VALIDATION_FAILED, INVALID_PARAMETER, UNKNOWN_CURSOR, FORBIDDEN */
export const createMetadataSource = (
  { events: given, after }: MetadataArguments,
  { principal }: Pick<RequestContext, 'principal'>,
  { baseUrl, cursors }: { readonly baseUrl: string; readonly cursors: CursorSealer },
): EventSource => {
  const faults = new FaultList();
  const events = given === null || given === undefined ? everything : parseEvents('/events', given, faults);
  faults.throwIfAny();
  for (const { resource } of events) {
    const refusal = registrationRefusal(principal, resource);
    if (refusal !== undefined) throw new AppError('FORBIDDEN', refusal);
  }
  const filter = compileEvents(events);
  return {
    name: 'metadataEvents',
    events,
    topics: notifiedTypes,
    after: readCursor(cursors, after),
    see: (receiver, item) => {
      if (item.kind !== 'CHANGE' || !filter.matches(item.change)) return undefined;
      const change = seeChange(receiver, item.change, item.subject);
      if (change === undefined) return undefined;
      return {
        ...toMetadataMessage(change, baseUrl),
        ...referencesOf(change),
        cursor: cursors.seal(item.position),
        dateCreated: change.dateCreated,
        resourceUuid: change.resourceUuid,
        zoneUuid: change.zoneUuid,
        actorUuid: change.actorUuid,
      };
    },
  };
};
