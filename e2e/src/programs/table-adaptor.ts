// An adaptor whose system is a table. Rows of `report` are the changes that it reports, rows of `told` are the events
// that it received. Both are in the test's own database, which outlives the process.
import { setTimeout as delay } from 'node:timers/promises';
import { startAdaptor } from '@fds/adaptor-sdk';
import Database from 'libsql';
import { parse } from 'lossless-json';
import { requireSetting } from './require-setting.js';

const database = new Database(requireSetting('TABLE_DATABASE'));
const domain = requireSetting('TABLE_DOMAIN');
database.exec(`PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000;
  CREATE TABLE IF NOT EXISTS report (number INTEGER PRIMARY KEY AUTOINCREMENT, json TEXT NOT NULL, sent INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE IF NOT EXISTS told (epoch TEXT NOT NULL, sequence INTEGER NOT NULL, action TEXT NOT NULL, record TEXT NOT NULL,
    json TEXT NOT NULL, PRIMARY KEY (epoch, sequence))`);
const unsent = database.prepare('SELECT number, json FROM report WHERE sent = 0 ORDER BY number');
const markSent = database.prepare('UPDATE report SET sent = 1 WHERE number = ?');
const tell = database.prepare('INSERT INTO told VALUES (?, ?, ?, ?, ?)');
const find = database.prepare('SELECT 1 FROM told WHERE epoch = ? AND sequence = ?');

const scanIntervalMs = 20;
let playing: AbortController | undefined;
let scanned = Promise.resolve();

const adaptor = await startAdaptor({
  handlers: (self) => ({
    apply: ({ action, drUuid, jsonData, position }) => {
      tell.run(position.epoch, position.sequence, action, drUuid, jsonData);
    },
    applied: {
      has: ({ epoch, sequence }) => find.get(epoch, sequence) !== undefined,
      forget: () => undefined,
    },
    play: () => {
      const controller = new AbortController();
      playing = controller;
      scanned = (async () => {
        while (!controller.signal.aborted) {
          for (const { number, json } of unsent.all() as { readonly number: number; readonly json: string }[]) {
            await self.publish({ action: 'PUT', domain, version: 1, json: parse(json) as Record<string, string> });
            markSent.run(number);
          }
          await delay(scanIntervalMs, undefined, { signal: controller.signal }).catch(() => undefined);
        }
      })();
    },
    pause: async () => {
      playing?.abort();
      await scanned;
    },
  }),
});
process.once('SIGTERM', () => void adaptor.stop());
await adaptor.stopped;
database.close();
