/** The zone of a request, and the event whose destinations it asks for. */
interface AskedEvent {
  readonly zoneUuid: string;
  readonly sourceZoneUuid: string;
  readonly domainVersionUuid: string;
}

/**
 * May a caller who asks for a zone know that an adaptor is a destination of an event? Those of the zone itself; and for events
 * of the zone those that the caller may read.
 *
 * @param mayGet whether the caller may read a path
 */
export const mayKnowDestination = (
  mayGet: (path: string) => boolean,
  { zoneUuid, sourceZoneUuid, domainVersionUuid }: AskedEvent,
  destination: { readonly zoneUuid: string; readonly adaptorUuid: string | null },
): boolean =>
  destination.zoneUuid === zoneUuid ||
  (sourceZoneUuid === zoneUuid &&
    (mayGet(`/zones/${zoneUuid}/capable-adaptors/${domainVersionUuid}`) ||
      (destination.adaptorUuid !== null &&
        mayGet(`/zones/${destination.zoneUuid}/adaptors/${destination.adaptorUuid}`))));
