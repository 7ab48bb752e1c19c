import type { Message, Refusal } from '@fds/adaptor-protocol';
import type { AdaptorLog } from '../adaptor.js';
import type { AdaptorHandlers } from '../handlers.js';

type OpsMessage = Message<'down/ops'>;
export type Operation = Extract<OpsMessage, { readonly type: 'fds.ops.v1' }>;
export type Notice = Exclude<OpsMessage, Operation>;

export const isOperation = (message: OpsMessage): message is Operation => message.type === 'fds.ops.v1';

export interface NoticeTaking {
  /** Name of this process in its state reports. */
  readonly instance: string;
  readonly handlers: Pick<AdaptorHandlers, 'refused'>;
  /** Called for each notice of an issue. */
  readonly onRefused: () => void;
  /** Called when the handler has finished with the notice of the issue. */
  readonly onRefusalTaken: (issueUuid: string) => void;
  /** Called when another process has taken over from this one. */
  readonly onSuperseded: () => void;
  readonly log: AdaptorLog;
}

const logged = ({ issueUuid, sequence, transactionUuid, domain, version, code, errors }: Refusal): object => ({
  issueUuid,
  sequence,
  transactionUuid,
  domain,
  version,
  code,
  errors,
});

/** Handles the notices of the server. */
export const createNoticeTaker = ({
  instance,
  handlers,
  onRefused,
  onRefusalTaken,
  onSuperseded,
  log,
}: NoticeTaking) => {
  const tellRefused = async (refusal: Refusal): Promise<void> => handlers.refused?.(refusal);
  return (notice: Notice): void => {
    if (notice.type === 'fds.refused.v1') {
      onRefused();
      log.warn(logged(notice.data), `the server refused an event: ${notice.data.message}`);
      tellRefused(notice.data)
        .catch((error: unknown) => log.error({ err: error }, 'the handler of refusals failed'))
        .finally(() => onRefusalTaken(notice.data.issueUuid));
      return;
    }
    // the notice is for another process, which has lost its connection
    if (notice.data.instance !== instance) return;
    log.error(
      { instance, by: notice.data.by },
      'another process with the same credentials has taken over this adaptor; this process ends',
    );
    onSuperseded();
  };
};
