import type { Tier } from '@fds/assembly-contract';

/** An adaptor that may be asked. */
export interface Source {
  readonly adaptorUuid: string;
  readonly name: string;
  readonly zoneUuid: string;
  readonly zoneName: string;
  readonly tier: Tier;
}

/** What became of asking it. PENDING until it answered, failed, or was found to be down. */
export type Outcome = 'PENDING' | 'ANSWERED' | 'FAILED' | 'DOWN';

/** A source with the records it holds and how far its answer is. */
export interface AskedSource {
  readonly source: Source;
  readonly recordUuids: ReadonlySet<string>;
  readonly outcome: Outcome;
}
