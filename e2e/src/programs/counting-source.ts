// An adaptor with a counting source system: it publishes the events that the ledger of the run grants it. After a kill
// at any moment, it continues at the position in the ledger. A repeated event has the same content, and the server does
// not route it twice.
import { startAdaptor } from '@fds/adaptor-sdk';
import { countedEvent } from './ledger/counted-event.js';
import { connectLedger } from './ledger/connect-ledger.js';
import { requireSetting } from './require-setting.js';

const ledger = connectLedger(Number(requireSetting('COUNTING_LEDGER')));
const stream = requireSetting('COUNTING_STREAM');
const domain = requireSetting('COUNTING_DOMAIN');
const records = Number(requireSetting('COUNTING_RECORDS'));
/** Number of events that are published together, each for another record. */
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
