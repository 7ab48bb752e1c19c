import { describeFaults, parseMessage, type LinkReport } from '@fds/adaptor-protocol';
import type { UpMessage } from '@fds/adaptor-bus';
import type { Log } from '@fds/service';
import type { AdaptorView } from '../../domain/catalog.js';
import type { Leases } from '../relay/open-leases.js';
import type { BatchLoop } from './create-batch-loop.js';
import type { Handshakes } from './create-handshakes.js';
import type { MessageReader } from './create-message-reader.js';

/** Takes reports of links outside the sequence. */
export interface LinkTaker {
  /** Takes a message of `up/link`. */
  take(message: UpMessage): Promise<void>;
  /** Commits the valid links of a report. Rejects when they are not committed. */
  commit(adaptorUuid: string, report: LinkReport): Promise<void>;
}

export interface LinkTakerDependencies {
  readonly log: Log;
  /** The adaptor, if it is active. */
  readonly findActive: (adaptorUuid: string) => Promise<AdaptorView | undefined>;
  readonly handshakes: Pick<Handshakes, 'serves'>;
  readonly leases: Pick<Leases, 'hasGiven'>;
  readonly reader: Pick<MessageReader, 'readLinks'>;
  readonly loop: Pick<BatchLoop, 'addAll'>;
}

export const createLinkTaker = ({
  log,
  findActive,
  handshakes,
  leases,
  reader,
  loop,
}: LinkTakerDependencies): LinkTaker => {
  const commit: LinkTaker['commit'] = async (adaptorUuid, report) => {
    const adaptor = await findActive(adaptorUuid);
    if (adaptor === undefined) return;
    const links = await reader.readLinks(adaptor, report);
    if (links.length > 0) await loop.addAll(links.map((link) => ({ adaptor, ...link, position: undefined })));
  };
  return {
    take: async ({ adaptorUuid, payload }) => {
      // a report without a number is not sent again: during a hand-over both processes take it, which has the same effect
      if (!leases.hasGiven(adaptorUuid) && !(await handshakes.serves(adaptorUuid))) return;
      const parsed = parseMessage('up/link', payload);
      if (parsed.ok) return commit(adaptorUuid, parsed.value.data);
      log.warn({ adaptorUuid, faults: describeFaults(parsed.faults) }, 'an adaptor sent a malformed report of links');
    },
    commit,
  };
};
