import type { Principal, Sealer } from '@fds/auth';
import type { Database, PrismaTransaction } from '@fds/database';
import type { TargetRule } from '@fds/webhook-client';

/** Limits of the tables of this subgraph that an outsider can fill. */
interface RegistrationBounds {
  readonly registrationsPerUser: number;
  /** Bytes of the JSON of one registration. */
  readonly registrationBytes: number;
  /** Bytes of the registrations of all users: every process that delivers keeps their events in memory. */
  readonly totalBytes: number;
}

/** Dependencies that the stores of this subgraph share. */
export interface NotificationTools {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly now: () => Date;
  /** UUID version 7. */
  readonly newUuid: () => string;
  /** Where the service may connect to. */
  readonly targets: TargetRule;
  readonly bounds: RegistrationBounds;
  /** Time in which messages are signed with a replaced secret in addition to the new one. */
  readonly secretOverlapMs: number;
  /** Whether the person or adaptor still exists, as the transaction sees it. */
  readonly holderExists: (tx: PrismaTransaction, holder: Principal) => Promise<boolean>;
  readonly onBoundHit: (
    bound: 'notification_registrations' | 'notification_bytes' | 'notification_total_bytes' | 'notification_queue',
  ) => void;
}
