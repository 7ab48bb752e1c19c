import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { requireStatus, rootZone } from '../harness/catalogue.js';
import { type Client, signIn } from '../harness/client.js';
import { freePort } from '../harness/free-port.js';
import { createLeftovers } from '../harness/leftovers.js';
import { startService, type Service } from '../harness/service.js';
import { root } from '../harness/spawned.js';
import { whyNotInstallable } from './install-packages.js';
import { shellBlocks } from './shell-blocks.js';

const run = promisify(execFile);
const whyNot = await whyNotInstallable();

/** A Python with paho-mqtt, and a JDK, for the skeletons in other languages; undefined: not installed. */
const firstThatRuns = async (commands: readonly (readonly [string, ...string[]])[]): Promise<string | undefined> => {
  for (const [program, ...parameters] of commands)
    try {
      await run(program, parameters);
      return program;
    } catch {
      // the next one
    }
  return undefined;
};
const paho = ['-c', 'import paho.mqtt.client'] as const;
const python = await firstThatRuns([
  ['/usr/bin/python3', ...paho],
  ['python3', ...paho],
]);
const javac = await firstThatRuns([['javac', '-version']]);

/** The port of an adaptor according to its log. The log contains it when 8001 was in use. */
const healthPortIn = (log: string): number =>
  Number(/"port":(\d+),"inUse":8001/.exec(readFileSync(log, 'utf8'))?.[1] ?? 8001);

(whyNot === undefined ? describe : describe.skip)(
  `quick starts, pasted into a shell${whyNot === undefined ? '' : ` (${whyNot})`}`,
  () => {
    const leftovers = createLeftovers();
    const base = mkdtempSync(join(tmpdir(), 'fds-quick-starts-'));
    leftovers.add(() => rmSync(base, { recursive: true, force: true }));
    const tarballs = join(base, 'tarballs');
    let service: Service;
    let dgs: Client;

    /** A folder that replaces the checkout. It contains the packing command, and the password files of `npm start`. */
    const createCheckout = (name: string): string => {
      const checkout = join(base, name);
      for (const folder of ['.data', 'home', 'bin']) mkdirSync(join(checkout, folder), { recursive: true });
      for (const user of ['dgs', 'admin'] as const)
        writeFileSync(join(checkout, '.data', `${user}.password`), service.passwords[user]);
      const packing = `mkdir -p tarballs && cp '${tarballs}'/*.tgz tarballs`;
      writeFileSync(join(checkout, 'package.json'), JSON.stringify({ scripts: { 'pack:adaptors': packing } }));
      return checkout;
    };

    /**
     * Runs the commands of a page unchanged, except for the addresses of the server.
     *
     * @param healthPort replaces 8001, which another program of this machine may use
     */
    const paste = async (checkout: string, commands: string, healthPort?: number): Promise<string> => {
      const addressed = commands
        .replaceAll(/http:\/\/(?:127\.0\.0\.1|localhost):8080/g, service.baseUrl)
        .replaceAll(/http:\/\/(?:127\.0\.0\.1|localhost):8082/g, service.assemblyUrl)
        .replaceAll('localhost:8001', `localhost:${healthPort ?? 8001}`);
      const shell = spawn('bash', ['-e', '-o', 'pipefail', '-c', addressed], {
        cwd: checkout,
        detached: true,
        env: {
          PATH: `${join(checkout, 'bin')}:${process.env['PATH']}`,
          HOME: join(checkout, 'home'),
          npm_config_cache: process.env['npm_config_cache'] ?? join(homedir(), '.npm'),
          npm_config_prefer_offline: 'true',
          ...(process.env['NODE_COMPILE_CACHE'] !== undefined && {
            NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
          }),
          ...(healthPort === undefined ? {} : { PORT: String(healthPort) }),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const printed: string[] = [];
      for (const stream of [shell.stdout, shell.stderr])
        stream.on('data', (chunk: Buffer) => printed.push(String(chunk)));
      leftovers.add(() => {
        // the adaptors that the commands started in the background belong to the process group of the shell
        try {
          if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL');
        } catch {
          // all of them have ended
        }
      });
      const [code] = (await once(shell, 'exit')) as [number | null];
      if (code !== 0) throw new Error(`the commands end with ${code}:\n${printed.join('')}`);
      return printed.join('');
    };

    const pasteAll = (page: string, checkout: string, healthPort?: number): Promise<string> =>
      paste(checkout, shellBlocks(readFileSync(join(root, page), 'utf8')).join('\n'), healthPort);

    const recordsOf = async (domain: string): Promise<readonly unknown[]> =>
      requireStatus(
        await dgs.rest<{ drs: readonly { readonly json: unknown }[] }>('GET', `/drs?filters=name:${domain}`),
        200,
      ).body.drs.map(({ json }) => json);

    let parentZoneUuid: string;
    beforeAll(async () => {
      const packing = [join(root, 'adaptors/packaging/bin/pack-adaptors.mjs'), '--as-built', '--out', tarballs];
      [service] = await Promise.all([startService(leftovers), run(process.execPath, packing)]);
      dgs = await signIn({ ...service, username: 'dgs', password: service.passwords.dgs });
      // the users of the pages see several zones
      const admin = await signIn({ ...service, username: 'admin', password: service.passwords.admin });
      parentZoneUuid = await rootZone(admin);
      requireStatus(await admin.rest('POST', '/zones', { name: 'Root of others', parentZoneUuid }), 201);
    }, 120_000);
    afterAll(() => leftovers.dispose(), 120_000);

    it('create an adaptor and run its skeleton', async () => {
      const checkout = createCheckout('create');
      const output = await pasteAll('docs/adaptors/create-an-adaptor.md', checkout, await freePort());
      expect(output).toContain('{"status":"UP"}');
      requireStatus(await dgs.rest('POST', '/drs', { name: 'product', json: { id: '1', name: 'Lamp' } }), 201);
      await eventually(() => {
        const records = join(checkout, 'my-adaptor/records/product');
        const texts = readdirSync(records).map((file) => readFileSync(join(records, file), 'utf8'));
        expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual([{ id: '1', name: 'Lamp' }]);
      });
    }, 180_000);

    it("run the example of the SDK's README", async () => {
      const readme = readFileSync(join(root, 'adaptors/sdk/README.md'), 'utf8');
      const [, example] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
      const [install = '', ...rest] = shellBlocks(readme);
      const checkout = createCheckout('sdk');
      // the reader saves the example as the page says
      await paste(checkout, [install, `cat > adaptor.mts <<'EXAMPLE'\n${example}EXAMPLE`, ...rest].join('\n'));
      writeFileSync(join(checkout, 'folder-adaptor/customers/1.json'), '{"id":"1","name":"Ada"}');
      await eventually(async () => expect(await recordsOf('customer')).toEqual([{ id: '1', name: 'Ada' }]));
    }, 180_000);

    it('share customers between two departments, as the tutorial says', async () => {
      const output = await pasteAll('docs/tutorial.md', createCheckout('tutorial'));
      // every step of the page waits for its effect; the last one is the deletion at the other department
      expect(output).toContain('"name":"Edith Clarke"');
      const [finance = '', sales = ''] = output.split('\n').filter((line) => line.includes('"virtualizationRequest"'));
      expect([finance, sales].map((answer) => answer.includes('"creditLimit":5000'))).toEqual([true, false]);
      expect(sales).toContain('hopper@example.org');
    }, 180_000);

    it('connect a database', async () => {
      const output = await pasteAll('adaptors/database/README.md', createCheckout('database'));
      expect(output).toMatch(/"email": ?"ada@example.org"/);
      expect(await recordsOf('contact')).toEqual([{ email: 'ada@example.org', name: 'Ada' }]);
    }, 180_000);

    it('copy files with two adaptors on one machine', async () => {
      const checkout = createCheckout('files');
      await pasteAll('adaptors/file-system/README.md', checkout);
      const copied = (): string => readFileSync(join(checkout, 'files/outbox/hello.txt'), 'utf8');
      await eventually(() => expect(copied()).toBe('hello\n'));
      // the domain of the page keeps its records in the store, so each message names the changed properties only
      const original = join(checkout, 'files/inbox/hello.txt');
      writeFileSync(original, 'hello again\n');
      await eventually(() => expect(copied()).toBe('hello again\n'));
      rmSync(original);
      await eventually(() => expect(readdirSync(join(checkout, 'files/outbox'))).toEqual([]));

      const ports = ['source', 'destination'].map((role) => healthPortIn(join(checkout, 'files', `${role}.log`)));
      expect(new Set(ports).size).toBe(2);
      for (const port of ports) {
        const answer = await fetch(`http://localhost:${port}/health`);
        expect([answer.status, await answer.json()]).toEqual([200, { status: 'UP' }]);
      }
      const third = 'npx fds-file-system-adaptor --config source.properties';
      const started = paste(join(checkout, 'files'), `DATA_DIRECTORY=third PORT=${ports[0]} ${third}`);
      await expect(started).rejects.toThrow(`port ${ports[0]} of localhost is in use: set port (PORT) to another one`);
    }, 180_000);

    /** Runs the README of a skeleton, and expects that its adaptor reports a record and writes one. */
    const runSkeleton = async (language: string, domain: string, checkout: string): Promise<void> => {
      const output = await pasteAll(`adaptors/sdk/templates/${language}/README.md`, checkout);
      expect(output).toContain('2 passed, 0 failed, 0 skipped');
      const records = join(checkout, `${language}-adaptor/records/${domain}`);
      await eventually(() => readdirSync(records));
      writeFileSync(join(records, 'new'), '{"id":"1","name":"Reported"}');
      renameSync(join(records, 'new'), join(records, '1.json'));
      await eventually(async () => expect(await recordsOf(domain)).toEqual([{ id: '1', name: 'Reported' }]));
      requireStatus(await dgs.rest('POST', '/drs', { name: domain, json: { id: '2', name: 'Received' } }), 201);
      await eventually(() => {
        const texts = readdirSync(records).map((file) => readFileSync(join(records, file), 'utf8'));
        expect(texts.map((text) => JSON.parse(text) as unknown)).toContainEqual({ id: '2', name: 'Received' });
      });
    };

    (python === undefined ? it.skip : it)(
      `run the skeleton in Python and the conformance kit${python === undefined ? ' (skipped: no paho-mqtt)' : ''}`,
      async () => {
        const checkout = createCheckout('python');
        symlinkSync(python ?? '', join(checkout, 'bin/python3'));
        await runSkeleton('python', 'part', checkout);
        const kit = shellBlocks(readFileSync(join(root, 'docs/adaptors/conformance.md'), 'utf8')).join('\n');
        // the tests of the SDK run every check
        const some = kit.replaceAll(
          'fds-adaptor-conformance',
          'fds-adaptor-conformance --only start,report,away,refusal',
        );
        const output = await paste(checkout, `cd python-adaptor\n${some}`);
        expect(output.match(/\d+ passed.*/g)).toEqual([
          '2 passed, 0 failed, 2 skipped',
          '4 passed, 0 failed, 0 skipped',
        ]);
      },
      180_000,
    );

    (javac === undefined ? it.skip : it)(
      `run the skeleton in Java${javac === undefined ? ' (skipped: there is no JDK)' : ''}`,
      async () => runSkeleton('java', 'supplier', createCheckout('java')),
      180_000,
    );

    it('request a record of the past', async () => {
      const output = await pasteAll('adaptors/temporal/README.md', createCheckout('temporal'));
      const answers = output.split('\n').filter((line) => line.includes('"id":"1"'));
      expect(answers.at(-2)).toContain('"Ada Lovelace"');
      expect(answers.at(-1)).toContain('"Ada"');
    }, 180_000);

    it('add a webhook adaptor to one of several zones', async () => {
      const output = await pasteAll('docs/reference/webhook-adaptor.md', createCheckout('webhook'));
      expect(output).not.toContain('"errorCode"');
      const { body } = requireStatus(
        await dgs.rest<{ adaptors: readonly { readonly name: string }[] }>('GET', `/zones/${parentZoneUuid}/adaptors`),
        200,
      );
      expect(body.adaptors.map(({ name }) => name)).toContain('orders hook');
    }, 60_000);
  },
);
