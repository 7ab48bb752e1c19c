import type { ServerBus } from '@fds/adaptor-bus';
import { buildMessage, serverSource, type JsonValue, type OpsRequest, type Superseded } from '@fds/adaptor-protocol';
import { recordedTraceparent, type Log } from '@fds/service';
import { withModelsThatFit } from './models-that-fit.js';
import type { AdaptorRuntime, AdaptorStates } from '../store/adaptors/adaptor-states.js';
import type { DiscoveryStore } from '../store/adaptors/discovery-store.js';
import type { SendOperation } from '../actions/adaptors/adaptor-actions.js';

/** Publishes an operation on `down/ops`, or for a check on `down/check`. Rejects when the bus does not accept it. */
export type PublishOperation = (adaptorUuid: string, request: OpsRequest, kind?: 'ops' | 'check') => Promise<void>;

export const createOperationPublisher =
  ({
    bus,
    now,
    newUuid,
  }: {
    readonly bus: Pick<ServerBus, 'publish'>;
    readonly now: () => Date;
    readonly newUuid: () => string;
  }): PublishOperation =>
  (adaptorUuid, data, kind = 'ops') => {
    const traceparent = recordedTraceparent();
    return bus.publish(
      adaptorUuid,
      kind,
      buildMessage(`down/${kind}`, {
        id: newUuid(),
        source: serverSource,
        type: 'fds.ops.v1',
        time: now().toISOString(),
        correlationid: data.requestId,
        ...(traceparent === undefined ? {} : { traceparent }),
        data,
      }),
    );
  };

/** Sends `fds.superseded.v1`. A lost notice is sent again when the process reports again. */
export const createSupersededTeller =
  ({
    bus,
    log,
    now,
    newUuid,
  }: Pick<OperationSenderOptions, 'log' | 'newUuid'> & {
    readonly bus: Pick<ServerBus, 'publish'>;
    readonly now: () => Date;
  }) =>
  async (adaptorUuid: string, data: Superseded): Promise<void> => {
    const envelope = { id: newUuid(), source: serverSource, time: now().toISOString() };
    await bus
      .publish(adaptorUuid, 'ops', buildMessage('down/ops', { ...envelope, type: 'fds.superseded.v1', data }))
      .catch((error: unknown) => log.warn({ adaptorUuid, err: error }, 'notice of a take-over not sent'));
  };

export interface OperationSenderOptions {
  readonly publish: PublishOperation;
  readonly states: Pick<AdaptorStates, 'loadRuntime'>;
  readonly discoveries: Pick<DiscoveryStore, 'listVersions'>;
  readonly log: Log;
  readonly newUuid: () => string;
}

/** The effective configuration, for START and METADATA. */
const configurationOf = ({ discoveryMode, deletionLimit, capabilities, metadata, domainVersions }: AdaptorRuntime) => ({
  discoveryMode,
  deletionLimit: deletionLimit === null ? null : { ...deletionLimit },
  capabilities: capabilities.map(({ direction, ...capability }) =>
    direction === null ? capability : { ...capability, direction },
  ) satisfies JsonValue,
  metadata: metadata ?? {},
  domainVersions,
});

/** Sends the effective configuration to a process that only checks it. The state of the adaptor does not matter. */
export const createCheckAnswerer =
  ({ publish, states, log }: Omit<OperationSenderOptions, 'newUuid' | 'discoveries'>) =>
  async (adaptorUuid: string, requestId: string): Promise<void> => {
    try {
      const runtime = await states.loadRuntime(adaptorUuid);
      if (runtime === undefined) return;
      const request = withModelsThatFit({ operation: 'METADATA', requestId, ...configurationOf(runtime) });
      await publish(adaptorUuid, request, 'check');
    } catch (error) {
      log.warn({ adaptorUuid, err: error }, 'configuration for a check not sent');
    }
  };

/**
 * Sends operations to adaptors (docs/protocols/adaptor-bus.md#fdsopsv1-on-downops-fdsopsanswerv1-on-upops). START and
 * METADATA contain the configuration that is effective when they are sent. A message that cannot be sent is logged. The
 * adaptor's next report causes another one.
 */
export const createOperationSender = ({
  publish,
  states,
  discoveries,
  log,
  newUuid,
}: OperationSenderOptions): SendOperation => {
  const requestOf = async (
    adaptorUuid: string,
    operation: Parameters<SendOperation>[1],
  ): Promise<OpsRequest | undefined> => {
    const requestId = newUuid();
    if (operation !== 'START' && operation !== 'METADATA') return { operation, requestId };
    const runtime = await states.loadRuntime(adaptorUuid);
    if (runtime === undefined) return undefined;
    const configuration = configurationOf(runtime);
    if (operation === 'METADATA') return withModelsThatFit({ operation, requestId, ...configuration });
    const { state, sequenceState } = runtime;
    const discovered = await discoveries.listVersions(adaptorUuid);
    return withModelsThatFit({ operation, requestId, ...configuration, state, sequenceState, discovered });
  };

  return async (adaptorUuid, operation) => {
    try {
      const data = await requestOf(adaptorUuid, operation);
      if (data === undefined) return;
      await publish(adaptorUuid, data);
    } catch (error) {
      log.warn({ adaptorUuid, operation, err: error }, 'operation not sent');
    }
  };
};
