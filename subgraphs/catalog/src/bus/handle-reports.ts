import type { ServerBus, UpMessage } from '@fds/adaptor-bus';
import { describeFaults, parseMessage, type AdaptorError, type OpsAnswer } from '@fds/adaptor-protocol';
import type { Lanes, Log } from '@fds/service';
import type { AdaptorReport } from '../domain/adaptors/adaptor-state.js';
import type { AdaptorStates } from '../store/adaptors/adaptor-states.js';
import type { SendOperation } from '../store/adaptors/adaptor-store.js';

/** Port: takes what an adaptor could not handle. Of kind DATA it becomes a data issue. */
export type TakeAdaptorError = (adaptorUuid: string, error: AdaptorError) => Promise<void>;

export interface ReportHandlingOptions {
  readonly bus: ServerBus;
  readonly states: Pick<AdaptorStates, 'report'>;
  readonly send: SendOperation;
  readonly takeAdaptorError: TakeAdaptorError | undefined;
  /** Work of one adaptor stays in the order of its messages. */
  readonly lanes: Lanes;
  readonly log: Log;
}

/** The state that an answer speaks of: the one it names, or that of a PAUSE that was accepted. */
const stateOf = ({ state, operation, accepted }: OpsAnswer): AdaptorReport | undefined =>
  state ?? (operation === 'PAUSE' && accepted ? 'PAUSED' : undefined);

/** Takes over `up/status` and `up/ops` (bus.md): the state follows what adaptors report. */
export const handleReports = ({ bus, states, send, takeAdaptorError, lanes, log }: ReportHandlingOptions): void => {
  const refuse = (adaptorUuid: string, kind: string, faults: string): void => {
    log.warn({ adaptorUuid, kind, faults }, 'message of an adaptor refused');
  };

  bus.handle('status', async ({ adaptorUuid, payload }: UpMessage) => {
    const parsed = parseMessage('up/status', payload);
    if (!parsed.ok) {
      refuse(adaptorUuid, 'status', describeFaults(parsed.faults));
      return;
    }
    const { state, stateMessage } = parsed.value.data;
    await lanes.run(adaptorUuid, async () => {
      const operation = await states.report(adaptorUuid, state, stateMessage);
      if (operation !== undefined) await send(adaptorUuid, operation);
    });
  });

  bus.handle('ops', async ({ adaptorUuid, payload }: UpMessage) => {
    const parsed = parseMessage('up/ops', payload);
    if (!parsed.ok) {
      refuse(adaptorUuid, 'ops', describeFaults(parsed.faults));
      return;
    }
    const message = parsed.value;
    if (message.type === 'fds.adaptor.error.v1') {
      log.warn({ adaptorUuid, level: message.data.level, kind: message.data.kind }, 'an adaptor reports an error');
      await takeAdaptorError?.(adaptorUuid, message.data);
      return;
    }
    const state = stateOf(message.data);
    // STARTING in an answer is no new connection: only `up/status` is answered by START
    if (state === undefined || state === 'STARTING') return;
    await lanes.run(adaptorUuid, () => states.report(adaptorUuid, state, message.data.message));
  });
};
