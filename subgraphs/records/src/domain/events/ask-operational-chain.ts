import type { OperationalAction, OperationalDecision, OperationalRules } from '@fds/governance-rules';
import type { AdaptorView, DomainVersionView } from '../catalog.js';
import type { RecordKey } from '../records/record-key.js';
import type { EventOutcome } from './event-outcome.js';
import type { IncomingEvent } from './incoming-event.js';
import { raiseIssue } from './raise-issue.js';

/** The parameters of the question. */
export interface OperationContext {
  readonly operational: OperationalRules;
  newUuid(): string;
}

/** May the source create, or delete, a record of the version (docs/reference/governance.md#operational-entries)? */
export const askOperationalChain = (
  { operational }: OperationContext,
  source: AdaptorView,
  version: DomainVersionView,
  action: OperationalAction,
): OperationalDecision =>
  operational.decide({
    action,
    sourceZoneUuid: source.zoneUuid,
    sourceAdaptorUuid: source.uuid,
    domainVersionUuid: version.uuid,
  });

/** The event waits until the chain allows it. */
export const denyOperation = (
  context: OperationContext,
  source: AdaptorView,
  {
    event,
    operation,
    record,
    awaits,
  }: {
    readonly event: IncomingEvent;
    readonly operation: OperationalDecision;
    readonly record?: { readonly uuid: string; readonly keyDigest: string };
    /** Keys of which any record may let it go on. */
    readonly awaits?: readonly RecordKey[];
  },
): EventOutcome => ({
  ...raiseIssue(context, source, {
    event,
    reason: 'OPERATIONAL',
    errors: [
      {
        pointer: '',
        code: 'OPERATIONAL_DENIED',
        detail: `entry ${operation.applied?.aclUuid ?? ''} of the operational chain denies it`,
      },
    ],
    ...(record === undefined ? {} : { record }),
    ...(awaits === undefined ? {} : { awaits }),
  }),
  operation,
});
