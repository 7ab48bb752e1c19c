import type { AdaptorState, OpsAnswer, OpsRequest } from '@fds/adaptor-protocol';
import type { AdaptorConfiguration, Capability } from '../handlers.js';

/** What operations act on. Each function rejects when it cannot be done; the adaptor then reports ERROR. */
export interface Operable {
  readonly state: AdaptorState;
  configure(configuration: AdaptorConfiguration): Promise<void>;
  play(): Promise<void>;
  pause(): Promise<void>;
  refreshState(): Promise<void>;
  reportState(): Promise<void>;
  fail(reason: string): Promise<void>;
  health(): NonNullable<OpsAnswer['health']>;
  metrics(): NonNullable<OpsAnswer['metrics']>;
}

const isCapabilities = (value: unknown): value is readonly Capability[] => Array.isArray(value);

/** The configuration in a START or METADATA; what is absent stays as it was. */
const configurationIn = (request: OpsRequest, current: AdaptorConfiguration): AdaptorConfiguration => ({
  metadata: request.metadata ?? current.metadata,
  capabilities: isCapabilities(request.capabilities) ? request.capabilities : current.capabilities,
  discoveryMode: request.discoveryMode ?? current.discoveryMode,
  domainVersions: request.domainVersions ?? current.domainVersions,
});

type Result = Pick<OpsAnswer, 'state' | 'health' | 'metrics' | 'acknowledged'>;

const run = async (request: OpsRequest, adaptor: Operable, current: AdaptorConfiguration): Promise<Result> => {
  switch (request.operation) {
    case 'START':
      await adaptor.configure(configurationIn(request, current));
      await (request.state === 'PAUSE' ? adaptor.pause() : adaptor.play());
      return { state: adaptor.state };
    case 'PLAY':
      await adaptor.play();
      return { state: adaptor.state };
    case 'PAUSE':
      await adaptor.pause();
      return { state: adaptor.state };
    case 'METADATA':
      await adaptor.configure(configurationIn(request, current));
      return { state: adaptor.state };
    case 'REFRESH_STATE':
      await adaptor.refreshState();
      return { state: adaptor.state };
    case 'HEALTH':
      return { state: adaptor.state, health: adaptor.health() };
    case 'METRICS':
      return { metrics: adaptor.metrics() };
    case 'SHUTDOWN':
      return { acknowledged: true };
  }
};

const changesState: ReadonlySet<OpsRequest['operation']> = new Set([
  'START',
  'PLAY',
  'PAUSE',
  'METADATA',
  'REFRESH_STATE',
]);

/** Operations that change the state exclude each other; questions do not. */
export const laneOf = ({ operation, requestId }: OpsRequest): string =>
  changesState.has(operation) ? 'state' : requestId;

/** Runs an operation, reports the state that results, and answers. Does not reject. */
export const runOperation = async (
  request: OpsRequest,
  adaptor: Operable,
  current: AdaptorConfiguration,
): Promise<OpsAnswer> => {
  const { requestId, operation } = request;
  try {
    const result = await run(request, adaptor, current);
    if (changesState.has(operation)) await adaptor.reportState().catch(() => undefined);
    return { requestId, operation, accepted: true, ...result };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    await adaptor.fail(message).catch(() => undefined);
    return { requestId, operation, accepted: false, state: adaptor.state, message };
  }
};
