import type { IncomingEvent } from './incoming-event.js';

/** A key with the tokens by which similar records are found. */
export interface NearKey {
  readonly domainVersionUuid: string;
  readonly keyDigest: string;
  readonly tokens: readonly bigint[];
}

/** The keys of changed records whose version does not match exactly. */
export const nearKeysOf = (events: readonly IncomingEvent[]): readonly NearKey[] =>
  events.flatMap((event) => {
    if (event.kind !== 'RECORD_CHANGED' || event.version.matching === undefined) return [];
    const { version, key } = event;
    const tokens = event.version.matching.tokens.asked(key.drKey);
    return [{ domainVersionUuid: version.uuid, keyDigest: key.digest, tokens }];
  });
