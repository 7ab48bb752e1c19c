import type { AdaptorState, OpsAnswer, OpsRequest } from '@fds/adaptor-protocol';
import type { AdaptorConfiguration } from '../handlers.js';
import { shortened } from '../shortened.js';
import { configurationIn } from './configuration-in.js';

/** The parts that operations act on. Each function rejects when it fails; the adaptor then reports ERROR. */
export interface Operable {
  readonly state: AdaptorState;
  /** The reasons of faulty sources; undefined when all sources work. */
  readonly reason: string | undefined;
  /** Notes the state that the server requests, even if the adaptor cannot reach it yet. */
  intend(state: 'PLAY' | 'PAUSE'): void;
  configure(configuration: AdaptorConfiguration): Promise<void>;
  play(): Promise<void>;
  pause(): Promise<void>;
  refreshState(): Promise<void>;
  reportState(): Promise<void>;
  fail(reason: string): Promise<void>;
  health(): NonNullable<OpsAnswer['health']>;
  /** @param since the first minute (since 1970) of the history; undefined: only the totals */
  metrics(since: number | undefined): NonNullable<OpsAnswer['metrics']>;
}

type Result = Pick<OpsAnswer, 'state' | 'health' | 'metrics' | 'acknowledged' | 'message'>;

type Step = (request: OpsRequest, adaptor: Operable, current: AdaptorConfiguration) => Promise<Result>;

const stateOf = ({ state, reason }: Operable): Result => ({
  state,
  ...(reason === undefined ? {} : { message: reason }),
});

const steps: Readonly<Record<OpsRequest['operation'], Step>> = {
  START: async (request, adaptor, current) => {
    adaptor.intend(request.state ?? 'PLAY');
    await adaptor.configure(configurationIn(request, current));
    await (request.state === 'PAUSE' ? adaptor.pause() : adaptor.play());
    return stateOf(adaptor);
  },
  PLAY: async (_request, adaptor) => {
    adaptor.intend('PLAY');
    await adaptor.play();
    return stateOf(adaptor);
  },
  PAUSE: async (_request, adaptor) => {
    adaptor.intend('PAUSE');
    await adaptor.pause();
    return stateOf(adaptor);
  },
  METADATA: async (request, adaptor, current) => {
    await adaptor.configure(configurationIn(request, current));
    return stateOf(adaptor);
  },
  REFRESH_STATE: async (_request, adaptor) => {
    await adaptor.refreshState();
    return stateOf(adaptor);
  },
  HEALTH: async (_request, adaptor) => ({ ...stateOf(adaptor), health: adaptor.health() }),
  METRICS: async ({ since }, adaptor) => ({ metrics: adaptor.metrics(since) }),
  SHUTDOWN: async () => ({ acknowledged: true }),
};

const changesState: ReadonlySet<OpsRequest['operation']> = new Set([
  'START',
  'PLAY',
  'PAUSE',
  'METADATA',
  'REFRESH_STATE',
]);

/**
 * Name of the queue of an operation. Operations that change the state run one after the other; queries run in parallel.
 */
export const taskKeyOf = ({ operation, requestId }: OpsRequest): string =>
  changesState.has(operation) ? 'state' : requestId;

/** Runs an operation, reports the resulting state, and answers. Does not reject. */
export const runOperation = async (
  request: OpsRequest,
  adaptor: Operable,
  current: AdaptorConfiguration,
): Promise<OpsAnswer> => {
  const { requestId, operation } = request;
  try {
    const result = await steps[operation](request, adaptor, current);
    if (changesState.has(operation)) await adaptor.reportState().catch(() => undefined);
    return { requestId, operation, accepted: true, ...result };
  } catch (error) {
    const message = shortened(error instanceof Error ? error.message : String(error));
    await adaptor.fail(message).catch(() => undefined);
    return { requestId, operation, accepted: false, state: adaptor.state, message };
  }
};
