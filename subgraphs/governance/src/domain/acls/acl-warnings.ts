import { effectOf, type AclEntry, type OperationalEntry } from '@fds/governance-rules';

/** The reason why a saved entry never takes effect. */
export interface AclWarning {
  /** MASKED, NO_ACTION, NEVER_MATCHES. */
  readonly code: string;
  readonly detail: string;
  /** Entries in front of it that cover everything that it covers. */
  readonly maskedBy: readonly string[];
}

/** Resources that entries refer to. */
export interface NamedByAcls {
  /** Zone of each adaptor. */
  readonly adaptorZones: ReadonlyMap<string, string>;
  /** Names of the top-level properties of each domain version, in lower case. */
  readonly versionProperties: ReadonlyMap<string, ReadonlySet<string>>;
}

const warn = (code: string, detail: string, maskedBy: readonly string[] = []): AclWarning => ({
  code,
  detail,
  maskedBy,
});

const masked = (masks: readonly { readonly uuid: string }[]): AclWarning[] =>
  masks.length === 0
    ? []
    : [
        warn(
          'MASKED',
          'entries in front of it decide everything that it covers',
          masks.map(({ uuid }) => uuid),
        ),
      ];

const isElsewhere = (
  adaptorUuid: string | null,
  { adaptorZones }: NamedByAcls,
  isIn: (zoneUuid: string) => boolean,
): boolean => {
  const zoneUuid = adaptorUuid === null ? undefined : adaptorZones.get(adaptorUuid);
  return zoneUuid !== undefined && !isIn(zoneUuid);
};

const hasNoneOf = ({ domainVersionUuid, properties }: AclEntry, { versionProperties }: NamedByAcls): boolean => {
  const known = domainVersionUuid === null ? undefined : versionProperties.get(domainVersionUuid);
  return known !== undefined && properties.length > 0 && properties.every((name) => !known.has(name.toLowerCase()));
};

/** Warnings about an entry of a zone's chain at its position. */
export const zoneAclWarnings = (entry: AclEntry, masks: readonly AclEntry[], named: NamedByAcls): AclWarning[] => {
  const actions = (['GET', 'POST', 'PUT', 'DELETE'] as const).filter((action) => effectOf(entry, action) !== null);
  if (actions.length === 0) {
    return [warn('NO_ACTION', 'the entry covers no action; one with properties does not speak of DELETE')];
  }
  const isOutbound = entry.chain === 'OUTBOUND';
  const isOwn = (zoneUuid: string): boolean => zoneUuid === entry.zoneUuid;
  const otherZone = isOutbound ? entry.destinationZoneUuid : entry.sourceZoneUuid;
  const isOther = (zoneUuid: string): boolean => (otherZone === null ? !isOwn(zoneUuid) : zoneUuid === otherZone);
  const warnings: AclWarning[] = [];
  if (isElsewhere(entry.sourceAdaptorUuid, named, isOutbound ? isOwn : isOther)) {
    warnings.push(warn('NEVER_MATCHES', 'the source adaptor is not in the source zone'));
  }
  if (isElsewhere(entry.destinationAdaptorUuid, named, isOutbound ? isOther : isOwn)) {
    warnings.push(warn('NEVER_MATCHES', 'the destination adaptor is not in the destination zone'));
  }
  if (entry.sourceAdaptorUuid !== null && entry.sourceAdaptorUuid === entry.destinationAdaptorUuid) {
    warnings.push(warn('NEVER_MATCHES', 'an adaptor never receives its own changes'));
  }
  if (hasNoneOf(entry, named)) {
    warnings.push(warn('NEVER_MATCHES', 'the domain version has none of the properties'));
  }
  return [...warnings, ...masked(masks)];
};

/** Warnings about an entry of the operational chain at its position. */
export const operationalAclWarnings = (
  entry: OperationalEntry,
  masks: readonly OperationalEntry[],
  named: NamedByAcls,
): AclWarning[] => {
  if (entry.post === null && entry.delete === null) return [warn('NO_ACTION', 'the entry covers no action')];
  const { sourceAdaptorUuid, sourceZoneUuid } = entry;
  const isStranger =
    sourceZoneUuid !== null && isElsewhere(sourceAdaptorUuid, named, (zoneUuid) => zoneUuid === sourceZoneUuid);
  return [
    ...(isStranger ? [warn('NEVER_MATCHES', 'the source adaptor is not in the source zone')] : []),
    ...masked(masks),
  ];
};
