import type { EventMessage, Span, Tracer } from '@fds/adaptor-protocol';
import type { AdaptorLog } from '../adaptor.js';
import type { AdaptorHandlers } from '../handlers.js';
import type { AdaptorFigures } from '../health/adaptor-figures.js';
import { reasonOf } from '../reason-of.js';
import { applyEvent, type Attempts, type Outcome } from './apply-event.js';

export interface ApplyMessageContext extends Pick<Attempts, 'stopping' | 'aside' | 'othersWork'> {
  readonly handlers: AdaptorHandlers;
  readonly figures: AdaptorFigures;
  readonly log: AdaptorLog;
  /** Undefined: traces are off. */
  readonly tracer: Pick<Tracer, 'start'> | undefined;
}

const count = ({ reports }: Outcome, figures: AdaptorFigures): void => {
  if (reports === undefined) {
    figures.retries += 1;
    return;
  }
  const levels = reports.flatMap((report) => ('error' in report ? report.error.level : []));
  figures.countReceived(levels.includes('ERROR') ? 'refused' : levels.length > 0 ? 'partly_applied' : 'applied');
};

const applyLogged = async (
  message: EventMessage<'down/data'>,
  { handlers, stopping, aside, othersWork, figures, log }: ApplyMessageContext,
): Promise<Outcome | undefined> => {
  try {
    const outcome = await applyEvent(handlers, message, {
      stopping,
      aside,
      othersWork,
      onRetry: (error) =>
        log.warn(
          { drUuid: message.data.drUuid, sequence: message.sequence, reason: reasonOf(error) },
          'an event is tried again',
        ),
      onRepeat: () => {
        figures.retries += 1;
      },
    });
    count(outcome, figures);
    for (const report of outcome.reports ?? []) {
      if (!('error' in report) || report.error.level !== 'ERROR') continue;
      const { drUuid, sequence, message: reason } = report.error;
      log.error({ drUuid, sequence, reason }, 'an event could not be applied');
    }
    return outcome;
  } catch {
    return undefined;
  }
};

const applied = { 'messaging.system': 'mqtt', 'messaging.operation.type': 'process' } as const;

const failureOf = (outcome: Outcome | undefined): string | undefined => {
  if (outcome === undefined) return 'STOPPED';
  if (outcome.reports === undefined) return 'WAITS';
  return outcome.reports.some((report) => 'error' in report && report.error.level === 'ERROR') ? 'REFUSED' : undefined;
};

/** The reports of links continue the trace. */
const withTrace = (outcome: Outcome | undefined, { traceparent }: Span): Outcome | undefined =>
  outcome?.reports === undefined
    ? outcome
    : { reports: outcome.reports.map((report) => ('link' in report ? { ...report, traceparent } : report)) };

/**
 * Applies an event and logs its failures. Where the message has a trace, the handler runs in a span of it.
 *
 * @returns undefined when the adaptor stopped before the event was done
 */
export const applyMessage = async (
  message: EventMessage<'down/data'>,
  context: ApplyMessageContext,
): Promise<Outcome | undefined> => {
  const { traceparent } = message;
  const span =
    traceparent === undefined
      ? undefined
      : context.tracer?.start({ name: 'apply', kind: 'CONSUMER', parent: traceparent, attributes: applied });
  if (span === undefined) return applyLogged(message, context);
  const outcome = await span.run(() => applyLogged(message, context));
  span.end(failureOf(outcome));
  return withTrace(outcome, span);
};
