// An adaptor with a counting source system: every event increments the counter of one record by one. After a kill at
// any moment, it continues at the position in its own database.
import { setTimeout as delay } from 'node:timers/promises';
import { startAdaptor } from '@fds/adaptor-sdk';
import Database from 'libsql';
import { requireSetting } from './require-setting.js';

const total = Number(requireSetting('STREAM_EVENTS'));
/** Pause after each event, in milliseconds. */
const pauseMs = Number(process.env['STREAM_PAUSE_MS'] ?? 0);
const records = Number(requireSetting('STREAM_RECORDS'));
const database = new Database(requireSetting('STREAM_DATABASE'));
database.exec(
  'PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS progress (one INTEGER PRIMARY KEY CHECK (one = 1), published INTEGER NOT NULL)',
);
const read = database.prepare('SELECT published FROM progress');
const write = database.prepare(
  'INSERT INTO progress VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET published = excluded.published',
);

let playing: AbortController | undefined;
let published = Promise.resolve();

const adaptor = await startAdaptor({
  handlers: (self) => ({
    play: () => {
      const controller = new AbortController();
      playing = controller;
      published = (async () => {
        let done = (read.get() as { published: number } | undefined)?.published ?? 0;
        for (; done < total && !controller.signal.aborted; done += 1) {
          const json = { id: `record-${done % records}`, n: Math.floor(done / records) + 1 };
          await self.publish({ action: 'PUT', domain: 'counter', version: 1, json });
          // if the process dies here, it repeats the event with the same content, and the server does not route it
          // twice
          write.run(done + 1);
          if (pauseMs > 0) await delay(pauseMs);
        }
      })();
    },
    pause: async () => {
      playing?.abort();
      await published;
    },
  }),
});
const stop = (): void => void adaptor.stop();
process.once('SIGTERM', stop);
await adaptor.stopped;
database.close();
