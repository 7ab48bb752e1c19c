/** A reconciliation at one moment: it runs, or has ended a moment ago. */
export interface ReconciliationReading {
  readonly reconciliationUuid: string;
  readonly zoneUuid: string;
  readonly adaptorUuid: string;
  readonly domainVersionUuid: string;
  readonly status: string;
  readonly preview: boolean;
  /** From 0 to 1. */
  readonly progress: number;
  readonly examined: bigint;
  readonly equal: bigint;
  readonly differing: bigint;
  readonly missingHere: bigint;
  readonly missingThere: bigint;
  readonly unreadable: bigint;
  readonly sent: bigint;
  readonly message: string | null;
}
