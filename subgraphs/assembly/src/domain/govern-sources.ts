import type { GovernedAdaptors } from './governed-adaptors.js';
import type { Source } from './source.js';
import type { GovernedRecords } from './visibility.js';

/** Sources that would be asked for a zone. */
export interface AskingZone {
  readonly sources: readonly Source[];
  readonly askingZoneUuid: string;
  readonly domainVersionUuid: string;
  /** Names of the properties at the top level of the model. */
  readonly properties: readonly string[];
}

export interface GovernedSources extends GovernedRecords {
  /** May the asking zone get any data of any record from the source? */
  permitsAnything(source: Source): boolean;
}

/** Evaluates the chains for the action GET: the adaptor's zone is the source, and the asking zone the destination. */
export const governSources = (
  { rules, named }: Pick<GovernedAdaptors, 'rules' | 'named'>,
  { sources, askingZoneUuid, domainVersionUuid, properties }: AskingZone,
): GovernedSources => {
  const decide = ({ adaptorUuid, zoneUuid }: Source, drUuid?: string) =>
    rules.decide({
      action: 'GET',
      sourceZoneUuid: zoneUuid,
      sourceAdaptorUuid: adaptorUuid,
      destinationZoneUuid: askingZoneUuid,
      domainVersionUuid,
      properties,
      drUuid,
    });
  const ofUnnamed = new Map(sources.map((source) => [source, decide(source)]));
  const decisionOf = (source: Source, recordUuid: string) =>
    named.has(recordUuid) ? decide(source, recordUuid) : ofUnnamed.get(source);
  return {
    permits: (source, recordUuid) => decisionOf(source, recordUuid)?.outcome === 'ALLOWED',
    withheld: (source, recordUuid) => decisionOf(source, recordUuid)?.removedProperties ?? [],
    permitsAnything: (source) => [undefined, ...named].some((drUuid) => decide(source, drUuid).outcome === 'ALLOWED'),
  };
};
