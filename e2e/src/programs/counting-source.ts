// An adaptor whose source system counts: it publishes what the ledger of the run grants it. Killed at any moment, it goes
// on where the ledger says; what it repeats has the same content, which the server does not route twice.
import { startAdaptor } from '@fds/adaptor-sdk';
import { countedEvent } from '../faults/ledger/counted-event.js';
import { connectLedger } from '../faults/ledger/connect-ledger.js';
import { requireSetting } from './require-setting.js';

const ledger = connectLedger(Number(requireSetting('COUNTING_LEDGER')));
const stream = requireSetting('COUNTING_STREAM');
const domain = requireSetting('COUNTING_DOMAIN');
const records = Number(requireSetting('COUNTING_RECORDS'));
/** Events that are published together, each of another record. */
const size = Math.min(records, Number(requireSetting('COUNTING_BATCH')));

let playing: AbortController | undefined;
let published = Promise.resolve();

const adaptor = await startAdaptor({
  handlers: (self) => ({
    play: () => {
      const controller = new AbortController();
      playing = controller;
      const stopped = new Promise<undefined>((resolve) => {
        controller.signal.addEventListener('abort', () => resolve(undefined), { once: true });
      });
      published = (async () => {
        while (!controller.signal.aborted) {
          const granted = await Promise.race([ledger.ask('take', { stream, size }), stopped]);
          if (granted === undefined) return;
          const { from, to } = granted;
          await Promise.all(
            Array.from({ length: to - from }, (_, index) => {
              const json = { ...countedEvent(stream, records, from + index) };
              return self.publish({ action: 'PUT', domain, version: 1, json });
            }),
          );
          await ledger.ask('published', { stream, to });
        }
      })();
    },
    pause: async () => {
      playing?.abort();
      await published;
    },
  }),
});
process.once('SIGTERM', () => void adaptor.stop());
await adaptor.stopped;
ledger.close();
