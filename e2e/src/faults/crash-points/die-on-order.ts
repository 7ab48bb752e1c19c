// Loaded into a process of the product before its program (node --import). It watches what the process sends to the
// database, to the bus and to its journal, at the interface of the libraries, and kills the process at the ordered
// moment. The product has no code for this, and a process that is started without this script is not affected.
import { requireSetting } from '../../programs/require-setting.js';
import { crashOrderVariable, type CrashOrder } from './crash-order.js';
import { watchDatabase } from './watch-database.js';
import { parseTopic, type Channel } from '@fds/adaptor-protocol';
import { Aedes } from 'aedes';
import mqtt from 'mqtt';
import Database from 'libsql';

interface Statement {
  run(...values: unknown[]): unknown;
}
type Exec = (this: object, sql: string) => unknown;
type Prepare = (this: object, sql: string) => Statement;

/** Calls `pass` for each transaction of the adaptor's journal that contains the statement, at its COMMIT. */
const watchJournal = (
  { containing, when }: { readonly containing: string; readonly when: 'BEFORE' | 'AFTER' },
  pass: () => void,
): void => {
  const touched = new WeakSet();
  const prototype = Database.prototype as unknown as { exec: Exec; prepare: Prepare };
  const { exec, prepare } = prototype;
  prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql);
    if (!sql.startsWith(containing)) return statement;
    const run = statement.run.bind(statement);
    statement.run = (...values) => {
      touched.add(this);
      return run(...values);
    };
    return statement;
  };
  prototype.exec = function (sql) {
    const ends = sql === 'COMMIT' && touched.delete(this);
    if (ends && when === 'BEFORE') pass();
    const done = exec.call(this, sql);
    if (ends && when === 'AFTER') pass();
    return done;
  };
};

type Callback = (...answer: unknown[]) => void;
type Publish = (this: unknown, ...sent: unknown[]) => unknown;

interface Publication {
  readonly channel: Channel;
  readonly when: 'BEFORE' | 'AFTER';
}

const topicOf = ([first]: readonly unknown[]): string => {
  if (typeof first === 'string') return first;
  return typeof first === 'object' && first !== null && 'topic' in first ? String(first.topic) : '';
};

/** Wraps `publish(..., callback)`. BEFORE: calls `pass` at the call. AFTER: calls `pass` before the callback. */
const watched = (publish: Publish, { channel, when }: Publication, pass: () => void): Publish =>
  function (...sent) {
    if (parseTopic(topicOf(sent))?.channel !== channel) return publish.apply(this, sent);
    if (when === 'BEFORE') pass();
    const last = sent.at(-1);
    if (when === 'BEFORE' || typeof last !== 'function') return publish.apply(this, sent);
    const callback: Callback = (...answer) => {
      pass();
      (last as Callback)(...answer);
    };
    return publish.apply(this, [...sent.slice(0, -1), callback]);
  };

/** Calls `pass` for each publication of the process, by the embedded broker or as a client of a broker. */
const watchBus = (publication: Publication, pass: () => void): void => {
  for (const prototype of [Aedes.prototype, mqtt.MqttClient.prototype] as unknown as { publish: Publish }[])
    prototype.publish = watched(prototype.publish, publication, pass);
};

const { moment, time } = JSON.parse(requireSetting(crashOrderVariable)) as CrashOrder;

let passed = 0;
const pass = (): void => {
  passed += 1;
  if (passed === time) process.kill(process.pid, 'SIGKILL');
};

if (moment.at === 'TRANSACTION' || moment.at === 'STATEMENT') watchDatabase(moment, pass);
if (moment.at === 'PUBLICATION') watchBus(moment, pass);
if (moment.at === 'JOURNAL') watchJournal(moment, pass);
