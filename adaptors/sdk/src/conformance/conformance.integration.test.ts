import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { skeletonSource } from '../setup/skeleton.js';
import { parseCapability } from '../setup/parse-capability.js';
import { eventually } from '../testing/eventually.js';
import { batchChecks } from './batch-checks.js';
import { openHub } from './open-hub.js';
import {
  type CheckResult,
  conformanceChecks,
  type ConformanceRun,
  conforms,
  runConformance,
} from './run-conformance.js';
import { startSubject } from './start-subject.js';

const sdk = fileURLToPath(new URL('../..', import.meta.url));
const nodeModules = fileURLToPath(new URL('../../../../node_modules', import.meta.url));
const kit = join(sdk, 'bin/fds-adaptor-conformance.mjs');
const pythonSkeleton = join(sdk, 'templates/python');

/** A Python with paho-mqtt; undefined: not installed. */
const findPython = (): string | undefined =>
  ['/usr/bin/python3', 'python3'].find((python) => {
    try {
      execFileSync(python, ['-c', 'import paho.mqtt.client'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });

/** Checks of a feature that the skeletons in other languages do not have. */
const batchIds = batchChecks.map(({ id }) => id);

const faultsOf = (results: readonly CheckResult[]): readonly string[] =>
  results.flatMap(({ id, outcome, reason }) => (outcome === 'PASSED' ? [] : [`${id} ${outcome}: ${reason}`]));

/** Changes a record in the form of the skeletons: a JSON file with its key as name. */
const changeScript = `import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
const { RECORD_ID: id, RECORD_PROPERTY: property, RECORD_VALUE: value } = process.env;
const file = 'records/customer/' + encodeURIComponent(JSON.stringify([id])) + '.json';
mkdirSync('records/customer', { recursive: true });
const record = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { id };
writeFileSync(file, JSON.stringify({ ...record, [property]: value }));
`;

/** The record becomes a folder, which no program can overwrite like a file. */
const refuseCommand =
  'rm -f "records/customer/%5B%22$RECORD_ID%22%5D.json"; mkdir -p "records/customer/%5B%22$RECORD_ID%22%5D.json"';
const awayCommand = 'mv records records.away';
const backCommand = 'rm -rf records; mv records.away records';

let folder: string;
/** The options of the kit for an adaptor whose source is a folder of JSON files. */
let ofFolder: Pick<ConformanceRun, 'changeCommand' | 'refuseCommand' | 'awayCommand' | 'backCommand'>;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fds-kit-'));
  symlinkSync(nodeModules, join(folder, 'node_modules'));
  writeFileSync(join(folder, 'change.mjs'), changeScript);
  const changeCommand = `${process.execPath} ${join(folder, 'change.mjs')}`;
  ofFolder = { changeCommand, refuseCommand, awayCommand, backCommand };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the conformance kit', () => {
  it('passes every check with the skeleton of the SDK', async () => {
    const file = join(folder, 'adaptor.mjs');
    writeFileSync(file, skeletonSource([parseCapability('customer:1')]));
    const command = `${process.execPath} ${file}`;
    const results = await runConformance({ command, ...ofFolder, concurrency: 4, patienceMs: 20_000 });
    expect(faultsOf(results)).toEqual([]);
    expect(results.map(({ id }) => id)).toEqual(conformanceChecks.map(({ id }) => id));
  }, 120_000);

  it('reads records with the command of --read, and then skips the checks of assembly', async () => {
    const file = join(folder, 'read.mjs');
    writeFileSync(file, skeletonSource([parseCapability('customer:1')]));
    const read = 'cat "records/customer/%5B%22$RECORD_ID%22%5D.json" 2>/dev/null || true';
    const only = 'clock,null-and-absent,delete';
    const run = ['--command', `${process.execPath} ${file}`, '--read', read, '--only', only, '--patience', '20000'];
    const { conforms: isFine, results } = JSON.parse(execFileSync(kit, [...run, '--json'], { encoding: 'utf8' })) as {
      readonly conforms: boolean;
      readonly results: readonly CheckResult[];
    };
    expect(results.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual([
      'clock SKIPPED',
      'null-and-absent PASSED',
      'delete PASSED',
    ]);
    expect(isFine).toBe(true);
  }, 60_000);

  it('refuses a model whose event is not an object', () => {
    const file = join(folder, 'model.json');
    writeFileSync(file, '{"modelSchema":{},"drKeyProperties":["id"],"event":[]}');
    const run = spawnSync(kit, ['--command', 'true', '--model', file], { encoding: 'utf8' });
    expect([run.status, run.stderr]).toEqual([2, expect.stringContaining(`--model ${file}: event is not an object`)]);
  });

  it('fails a command that does not start, and shows its output', async () => {
    const [result] = await runConformance({ command: 'sh -c "echo no such adaptor; exit 3"', only: ['start'] });
    expect(result).toMatchObject({ outcome: 'FAILED', reason: expect.stringContaining('no such adaptor') });
  });
});

/** Starts an adaptor with properties in a file; the file names a variable for its secret. */
const startsFromFile = async (name: string, command: string): Promise<string> => {
  const hub = await openHub({ capabilities: [], metadata: {}, domainVersions: [], patienceMs: 20_000 });
  const place = join(folder, name);
  mkdirSync(place);
  const lines = [
    `adaptor.uuid=${hub.adaptorUuid}`,
    `client.id=${hub.adaptorUuid}`,
    'client.secret=${KIT_SECRET}',
    `message.bus.url=${hub.url.replaceAll(':', '\\:')}`,
  ];
  writeFileSync(join(place, 'adaptor.properties'), `${lines.join('\n')}\n`);
  const environment = { KIT_SECRET: hub.secret, PORT: '0', ADAPTOR_UUID: '', CLIENT_ID: '', CLIENT_SECRET: '' };
  const subject = startSubject(command, environment, place);
  try {
    await eventually(() => hub.heard.states.some(({ state }) => state === 'STARTED') || !subject.running);
    const state = hub.heard.states.at(-1)?.state ?? subject.output();
    await subject.kill();
    const unset = startSubject(command, { ...environment, KIT_SECRET: undefined }, place);
    const exitCode = await unset.ended(20_000);
    return `${state}, then exit ${exitCode}: ${unset.output().includes('KIT_SECRET is not set')}`;
  } finally {
    await subject.kill();
    await hub.close();
  }
};

const hasJdk = ((): boolean => {
  try {
    execFileSync('javac', ['-version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

(hasJdk ? describe : describe.skip)(`the Java skeleton${hasJdk ? '' : ' (skipped: there is no JDK)'}`, () => {
  it('compiles without a warning and passes every check except those of batches and waiting messages', async () => {
    const sources = join(sdk, 'templates/java');
    const files = readdirSync(sources).filter((name) => name.endsWith('.java'));
    const compiled = join(folder, 'java');
    execFileSync('javac', ['-Xlint:all', '-Werror', '-d', compiled, ...files], { cwd: sources });
    const command = `java -XX:TieredStopAtLevel=1 -cp ${compiled} Adaptor`;
    const results = await runConformance({ command, ...ofFolder, concurrency: 4, patienceMs: 30_000 });
    const failed = results.filter(({ outcome }) => outcome === 'FAILED');
    expect(faultsOf(failed)).toEqual([]);
    const skipped = results.filter(({ outcome }) => outcome === 'SKIPPED');
    expect(skipped.map(({ id }) => id)).toEqual([...batchIds, 'waiting']);
    expect(await startsFromFile('java-properties', command)).toBe('STARTED, then exit 1: true');
  }, 120_000);
});

const python = findPython();
const why = python === undefined ? ' (skipped: python3-paho-mqtt is not installed)' : '';

(python === undefined ? describe.skip : describe)(`the Python skeleton${why}`, () => {
  /** The skeleton with replaced passages: it simulates a fault of its author. */
  const mutant = (name: string, replaced: readonly (readonly [string, string])[]): string => {
    const copy = join(folder, name);
    cpSync(pythonSkeleton, copy, { recursive: true });
    for (const [from, to] of replaced) {
      const file = ['fds_bus.py', 'adaptor.py'].find((one) => readFileSync(join(copy, one), 'utf8').includes(from));
      if (file === undefined) throw new Error(`the skeleton has no passage ${from}`);
      writeFileSync(
        join(copy, file),
        readFileSync(join(copy, file), 'utf8').replace(from, () => to),
      );
    }
    return `${python} ${join(copy, 'adaptor.py')}`;
  };

  it('passes every check except those of batches and of waiting messages, which it does not send', async () => {
    const command = `${python} ${join(pythonSkeleton, 'adaptor.py')}`;
    const results = await runConformance({ command, ...ofFolder, concurrency: 4, patienceMs: 20_000 });
    expect(faultsOf(results.filter(({ outcome }) => outcome !== 'SKIPPED'))).toEqual([]);
    expect(results.flatMap(({ id, outcome }) => (outcome === 'SKIPPED' ? [id] : []))).toEqual([...batchIds, 'waiting']);
  }, 120_000);

  it('reads adaptor.properties and environment variables in it', async () => {
    const command = `${python} ${join(pythonSkeleton, 'adaptor.py')}`;
    expect(await startsFromFile('python-properties', command)).toBe('STARTED, then exit 1: true');
  }, 60_000);

  /** A fault, the checks that must fail, and the passages that it replaces. */
  const mutants: readonly (readonly [string, string, readonly (readonly [string, string])[]])[] = [
    ['null-and-absent', 'it replaces the record', [['{**(local or {}), **values}', 'dict(values)']]],
    [
      'echo',
      'it does not remember the applied content',
      [
        ['self.remember(self.adaptor.db, file, base, former or {}, unseen)', 'pass'],
        [
          'self.remember(self.adaptor.db, file, base, None, (unseen or event["position"]) if is_unreported else None)',
          'pass',
        ],
      ],
    ],
    [
      'duplicate',
      'it ignores a number that it has already handled',
      [['self.acknowledge()\n        elif', 'pass\n        elif']],
    ],
    ['gap', 'it applies a number beyond the next one', [['sequence == position["applied"] + 1', 'True']]],
    ['unreadable', 'it reports no error', [['reports.append(', 'str(']]],
    ['order', 'it acknowledges too early', [['"upto": position["applied"]}', '"upto": position["applied"] + 1}']]],
    ['server-lost-state', 'it keeps its epoch', [['self.renew()\n            again', 'pass\n            again']]],
    [
      'server-restored',
      'it keeps the epoch of a restored server',
      [['self.renew()\n            again', 'pass\n            again']],
    ],
    ['hello-after-restart', 'it keeps no state', [['directory / "journal.sqlite"', '":memory:"']]],
    [
      'resend',
      'it never sends again',
      [
        [
          'else:\n            self.sent_upto = self.position()["acked"]',
          'else:\n            self.sent_upto = self.position()["last"]',
        ],
        // and it does not send again after a time without an acknowledgement either
        ['self.sent_upto = self.position()["acked"]\n                self.pump()', 'pass'],
      ],
    ],
    [
      'pause',
      'it continues while it is paused',
      [['self.data.disconnect()\n            self.data.loop_stop()', 'return']],
    ],
    ['delete', 'it reports no link', [['links.append(', 'str(']]],
    ['takeover', 'it ignores the take-over', [['self.ending = "superseded"', 'pass']]],
    ['takeover', 'it ends with 0 after a take-over', [['"superseded": 4', '"superseded": 0']]],
    ['secret-variable', 'it fills in its secret', [['and variable not in self.secret_variables', '']]],
    [
      'variables',
      'it fills in no variables',
      [['resolved(request["metadata"], may_name=self.may_name)}', 'request["metadata"]}']],
    ],
    [
      'unknown-property',
      'it ends at a property that it does not know',
      [['{**(local or {}), **values}', '{**(local or {}), **values}; "ofTheFuture" in record and sys.exit(1)']],
    ],
    [
      'clock',
      "it uses its own clock for the server's times",
      [
        [
          '        base = {"requestUuid": request["requestUuid"]}',
          '        base = {"requestUuid": request["requestUuid"]}\n        if message["expirytime"] < datetime.now(timezone.utc).isoformat():\n            return',
        ],
      ],
    ],
    [
      'lost-state',
      'it names an epoch before it has one',
      [
        [
          'data = {"epoch": position["epoch"], "applied"',
          'data = {"epoch": position["epoch"] or self.instance, "applied"',
        ],
      ],
    ],
    [
      'new-epoch',
      'it keeps its position in a new epoch',
      [['"update state set receive_epoch = ?, receive_applied = 0"', '"update state set receive_epoch = ?"']],
    ],
    [
      'reconnection',
      'it ends when the connection is lost',
      [
        [
          'elif role == "ops" and what == "down":',
          'elif what == "down":\n            sys.exit(1)\n        elif role == "never":',
        ],
      ],
    ],
    [
      'crash-starting,crash-hello,crash-first-acknowledgement,crash-link,crash-middle,crash-end',
      'it leaves a lock behind and later mistakes it for another process',
      [['    directory.mkdir(parents=True, exist_ok=True)', '    directory.mkdir(parents=True)']],
    ],
    [
      'repeated-values',
      'it writes the whole record of a message',
      [['name for name in event.get("changed", record) if name in record', 'name for name in record']],
    ],
    [
      'read-condition',
      'it ignores read',
      [['read[name] if name in read else (base or {}).get(name, ABSENT)', '(base or {}).get(name, ABSENT)']],
    ],
    [
      'read-kept',
      'it writes whatever its source holds',
      [['elif same(known, held):', 'elif name in read or same(known, held):']],
    ],
    [
      'unreported-change',
      'it overwrites the record with the whole message',
      [['{**(local or {}), **values}', '{**(local or {}), **event["record"]}']],
    ],
    [
      'unreported-change',
      'it counts every value of a file as reported after it applied a message',
      [['is_unreported = bool(unreported(base, record))', 'base, is_unreported = record, False']],
    ],
    [
      'same-property',
      'it overwrites a value that it has not reported',
      [['            kept.append(name)', '            write[name] = after[name] = incoming']],
    ],
    ['same-property', 'it says that it has seen what it kept', [['if unseen is not None:', 'if False:']]],
    [
      'unreported-delete',
      'it deletes a record with a change that it has not reported',
      [['            if kept:', '            if False:']],
    ],
    [
      'refusal',
      'it takes a refused message for applied',
      [['raise Refused(str(error), "The folder of records refuses the record") from error', 'return []']],
    ],
    [
      'refusal',
      'its error names no message',
      [
        ['"sequence": sequence}', '}'],
        [
          'fault.update({name: data[name] for name in ("drUuid", "transactionUuid") if is_text(data.get(name))})',
          'pass',
        ],
      ],
    ],
    ['refusal-title', 'its errors have no title', [['if isinstance(error, Refused):', 'if False:']]],
    [
      'not-applied',
      'it leaves out a property and does not say so',
      [['{**(local or {}), **values}', '{k: v for k, v in {**(local or {}), **values}.items() if k != "ofTheFuture"}']],
    ],
    [
      'away',
      'it takes a message for applied while its source is away',
      [['raise Retry(f"the folder {folder} is away")', 'return []']],
    ],
    ['away-state', 'it does not say that its source is away', [['if reason == self.source_fault:', 'if True:']]],
    [
      'waiting',
      'it acknowledges messages that it reports as waiting',
      [
        [
          '            self.retry = (time.monotonic() + 1.0, message)\n            return\n',
          '            waiting = {"epoch": message["epoch"], "sequences": [sequence, sequence + 1]}\n            self.put(self.ops, "up/ops", self.envelope("fds.waiting.v1", waiting))\n',
        ],
      ],
    ],
    ['shutdown', 'it does not end', [['self.ending = "shutdown"', 'pass']]],
    [
      'crash-end',
      'it acknowledges before it applies',
      [
        [
          '            kept = self.handlers.apply(event)',
          '            self.db.execute("update state set receive_applied = ?", (sequence,)); self.acknowledge(); time.sleep(0.2)\n            kept = self.handlers.apply(event)',
        ],
      ],
    ],
  ];
  const results = new Map<string, readonly CheckResult[]>();

  beforeAll(async () => {
    const waiting = [...mutants];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [checks, name, replaced] = next;
        const command = mutant(name.replaceAll(' ', '-'), replaced);
        const only = checks.split(',');
        results.set(name, await runConformance({ command, ...ofFolder, only, patienceMs: 3_000 }));
      }
    };
    await Promise.all([work(), work(), work(), work()]);
  }, 120_000);

  it.each(mutants)('fails %s when %s', (checks, name) => {
    const found = results.get(name) ?? [];
    expect(found.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual(checks.split(',').map((id) => `${id} FAILED`));
    expect(conforms(found)).toBe(found.every(({ level }) => level === 'SHOULD'));
  });
});
