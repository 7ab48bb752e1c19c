import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hub, openHub } from '@fds/adaptor-sdk/testing';
import { eventually } from '@fds/testing';
import { allActions, createAdaptor, createVersion, requireStatus, rootZone } from '../harness/catalogue.js';
import { type Client, signIn } from '../harness/client.js';
import { startAdaptorProcess } from '../harness/adaptor-process.js';
import { createLeftovers } from '../harness/leftovers.js';
import { startService, type Service } from '../harness/service.js';
import { type Launch, root, type Spawned, spawnScript } from '../harness/spawned.js';
import { checkLinks } from './check-links.js';
import {
  documentedExitCodes,
  hubConfigurations,
  hubOptions,
  supplierMetadata,
  supplierSource,
} from './hub-configurations.js';
import { type InstalledPackages, installPackages, packedPackages, whyNotInstallable } from './install-packages.js';

const run = promisify(execFile);
const whyNot = await whyNotInstallable();

/** The first example of the SDK's README, unchanged. */
const readmeExample = (): string => {
  const [, example] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(root, 'adaptors/sdk/README.md'), 'utf8')) ?? [];
  if (example === undefined) throw new Error('the README has no example');
  return example;
};

/** A program that uses the conformance kit and must compile. */
const kitUse = `import { type CheckResult, conforms, openHub, runConformance } from '@fds/adaptor-sdk/testing';
const results: readonly CheckResult[] = await runConformance({ command: 'node adaptor.js', only: ['start'] });
export const isFine: boolean = conforms(results) && typeof openHub === 'function';
`;

/** A program that imports all exports of the adaptors. */
const adaptorUse = Object.keys(packedPackages)
  .map(
    (name, index) =>
      `import * as package${index} from '@fds/${name}';\nexport const offers${index}: object = package${index};\n`,
  )
  .join('');

/** The environment of an adaptor on a hub. */
const hubEnvironment = (hub: Hub, dataDirectory: string): Readonly<{ [name: string]: string }> => ({
  ADAPTOR_UUID: hub.adaptorUuid,
  CLIENT_ID: hub.adaptorUuid,
  CLIENT_SECRET: hub.secret,
  MESSAGE_BUS_URL: hub.url,
  AUTH_SERVER_URL: 'http://127.0.0.1:9',
  HOSTNAME: '127.0.0.1',
  PORT: '0',
  DATA_DIRECTORY: dataDirectory,
});

/** Number of started processes. A process may report its state again, for example after a lost connection. */
const instancesOf = ({ heard }: Hub): number =>
  new Set(heard.states.flatMap(({ state, instance }) => (state === 'STARTED' ? instance : []))).size;

interface Record {
  readonly uuid: string;
  readonly json: { readonly id: string; readonly name: string };
}

(whyNot === undefined ? describe : describe.skip)(
  `packed adaptors${whyNot === undefined ? '' : ` (${whyNot})`}`,
  () => {
    const leftovers = createLeftovers();
    let installed: InstalledPackages;
    let service: Service;
    let dgs: Client;
    let zone: string;

    /** A search path on which programs find the oldest Node first. */
    const oldestFirst = (): string => `${dirname(installed.oldestNode)}${delimiter}${process.env['PATH'] ?? ''}`;

    const recordsOf = async (domain: string): Promise<readonly Record[]> => {
      const { body } = requireStatus(
        await dgs.rest<{ drs: readonly Record[] }>('GET', `/drs?filters=name:${domain},exclude-adaptors:true`),
        200,
      );
      return body.drs;
    };

    beforeAll(async () => {
      [installed, service] = await Promise.all([installPackages(leftovers), startService(leftovers)]);
      dgs = await signIn({ ...service, username: 'dgs', password: service.passwords.dgs });
      zone = await rootZone(dgs);
    }, 120_000);
    afterAll(() => leftovers.dispose(), 120_000);

    it('run on Node 20.19', async () => {
      const { stdout } = await run(installed.oldestNode, ['--version']);
      expect(stdout).toMatch(process.platform === 'linux' ? /^v20\.19\./ : /^v/);
    });

    it('contain compiled code, types, licence and README, but no package of the workspace', () => {
      for (const name of Object.keys(packedPackages)) {
        const files = readdirSync(installed.path('node_modules/@fds', name), { recursive: true }).map(String);
        expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts']));
        expect(files.filter((file) => /\.test\.|\.contract\.|(^|\/)src(\/|$)|\.tsbuildinfo/.test(file))).toEqual([]);
        const manifest = readFileSync(installed.path('node_modules/@fds', name, 'package.json'), 'utf8');
        const { dependencies } = JSON.parse(manifest) as { readonly dependencies: object };
        expect(Object.keys(dependencies).filter((dependency) => dependency.startsWith('@fds/'))).toEqual([]);
      }
      const scope = readdirSync(installed.path('node_modules/@fds'));
      expect(scope.filter((name) => !/^adaptor-sdk$|-adaptor$/.test(name))).toEqual([]);
    });

    it('contain complete pages: every relative link leads to a file or heading of the same package', () => {
      for (const name of Object.keys(packedPackages)) {
        const { pages, faults } = checkLinks(installed.path('node_modules/@fds', name));
        expect([name, faults]).toEqual([name, []]);
        expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/adaptors/create-an-adaptor.md']));
      }
      const sdk = (file: string): string => readFileSync(installed.path('node_modules/@fds/adaptor-sdk', file), 'utf8');
      expect(sdk('docs/protocols/adaptor-bus.md')).toContain('(asyncapi.json)');
      expect(JSON.parse(sdk('docs/protocols/asyncapi.json'))).toHaveProperty('channels');
      expect(JSON.parse(sdk('docs/protocols/messages.json'))).toBeDefined();
    });

    it("run the README's example, compiled strictly, against a server", async () => {
      const example = readmeExample();
      // two more than before: the example keeps what a user has just changed
      expect(example.trimEnd().split('\n').length).toBeLessThanOrEqual(38);
      writeFileSync(installed.path('adaptor.ts'), example);
      writeFileSync(installed.path('kit.ts'), kitUse);
      writeFileSync(installed.path('adaptors.ts'), adaptorUse);
      const settings = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
      await run(
        process.execPath,
        [join(root, 'node_modules/typescript-native/bin/tsc'), ...settings, 'adaptor.ts', 'kit.ts', 'adaptors.ts'],
        {
          cwd: installed.folder,
        },
      ).catch(({ stdout }: { stdout: string }) => {
        throw new Error(stdout);
      });
      await createVersion(dgs, {
        name: 'customer',
        domainType: 'SERVICE_DATA_STORE',
        properties: { id: { type: 'string' }, name: { type: 'string' } },
        drKeyProperties: ['id'],
      });
      const adaptor = await createAdaptor(dgs, zone, { name: 'Folder', capabilities: allActions('customer') });
      const program = { script: installed.path('adaptor.js'), node: installed.oldestNode };
      const { dataDirectory, untilUp } = await startAdaptorProcess(leftovers, service, adaptor, program);
      await untilUp();
      writeFileSync(join(dataDirectory, 'customers/1.json'), '{"id":"1","name":"Ada"}');
      const [ada] = await eventually(async () => {
        const records = await recordsOf('customer');
        expect(records.map(({ json }) => json)).toEqual([{ id: '1', name: 'Ada' }]);
        return records;
      });
      requireStatus(await dgs.rest('PATCH', `/drs/${ada?.uuid}`, { name: 'Ada Lovelace' }), 200);
      requireStatus(await dgs.rest('POST', '/drs', { name: 'customer', json: { id: '2', name: 'Charles' } }), 201);
      await eventually(() => {
        const read = (id: number): unknown =>
          JSON.parse(readFileSync(join(dataDirectory, `customers/${id}.json`), 'utf8')) as unknown;
        expect([read(1), read(2)]).toEqual([
          { id: '1', name: 'Ada Lovelace' },
          { id: '2', name: 'Charles' },
        ]);
      });
    }, 120_000);

    it('set up a running adaptor with fds-adaptor init and its skeleton', async () => {
      await createVersion(dgs, {
        name: 'product',
        domainType: 'SERVICE_DATA_STORE',
        properties: { id: { type: 'string' }, name: { type: 'string' } },
        drKeyProperties: ['id'],
      });
      const command = ['init', '--name', 'Products', '--capability', 'product:1', '--bus', service.busUrl];
      await run(installed.path('node_modules/.bin/fds-adaptor'), [...command, '--skeleton', 'products.mjs'], {
        cwd: installed.folder,
        env: {
          PATH: oldestFirst(),
          FDS_SERVER: service.baseUrl,
          FDS_USER: 'dgs',
          FDS_PASSWORD: service.passwords.dgs,
        },
      });
      const adaptor = spawnScript({
        script: installed.path('products.mjs'),
        node: installed.oldestNode,
        cwd: installed.folder,
        environment: {},
      });
      leftovers.add(async () => {
        await adaptor.end('SIGTERM');
      });
      requireStatus(await dgs.rest('POST', '/drs', { name: 'product', json: { id: 'p/1', name: 'Lamp' } }), 201);
      await eventually(() => {
        if (!adaptor.running) throw new Error(adaptor.output());
        const file = installed.path('records/product', `${encodeURIComponent('["p/1"]')}.json`);
        expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ id: 'p/1', name: 'Lamp' });
      });
    }, 120_000);

    it('write a skeleton that exits with the same codes as every adaptor', async () => {
      const folder = installed.path('skeleton');
      mkdirSync(folder);
      const script = installed.path('products.mjs');
      const hub = await openHub({ capabilities: [], metadata: {}, domainVersions: [], patienceMs: 20_000 });
      leftovers.add(() => hub.close());
      const start = (state: string, settings: Launch['environment'] = {}): Spawned => {
        const environment = { ...hubEnvironment(hub, join(folder, state)), ...settings };
        const started = spawnScript({ script, node: installed.oldestNode, environment, cwd: folder });
        leftovers.add(async () => void (await started.end('SIGKILL')));
        return started;
      };
      const nameless = start('none', { ADAPTOR_UUID: '' });
      expect([await nameless.ended(), nameless.output()]).toEqual([
        1,
        expect.stringContaining('(ADAPTOR_UUID) is missing'),
      ]);
      expect(nameless.output()).not.toContain('    at ');
      const earlier = start('earlier');
      await eventually(() => expect(instancesOf(hub)).toBe(1));
      const later = start('later');
      expect(await earlier.ended()).toBe(4);
      await eventually(() => expect(instancesOf(hub)).toBe(2));
      expect(await later.end('SIGTERM')).toBe(0);
    }, 60_000);

    it('check an adaptor against the contract with fds-adaptor-conformance', async () => {
      expect(existsSync(installed.path('node_modules/@fds/adaptor-sdk/templates/python/fds_bus.py'))).toBe(true);
      const { stdout } = await run(
        installed.path('node_modules/.bin/fds-adaptor-conformance'),
        [
          '--command',
          `${installed.oldestNode} ${installed.path('adaptor.js')}`,
          '--only',
          'start,null-and-absent',
          '--json',
        ],
        { cwd: installed.folder },
      );
      expect(JSON.parse(stdout)).toMatchObject({
        conforms: true,
        results: [{ outcome: 'PASSED' }, { outcome: 'PASSED' }],
      });
    }, 120_000);

    it.each(Object.entries(hubConfigurations))(
      'contain a %s that exits with the documented codes',
      async (name, configuration) => {
        const folder = installed.path(name);
        mkdirSync(folder);
        configuration.prepare?.(folder);
        const hub = await openHub(hubOptions(configuration, folder));
        leftovers.add(() => hub.close());
        const start = (state: string, settings: Launch['environment'] = {}, ...args: string[]): Spawned => {
          const environment = { ...hubEnvironment(hub, join(folder, state)), ...settings };
          const script = installed.path('node_modules/.bin', `fds-${name}`);
          const started = spawnScript({ script, node: installed.oldestNode, args, environment, cwd: folder });
          leftovers.add(async () => void (await started.end('SIGKILL')));
          return started;
        };
        const untilStarted = (instances: number): Promise<void> =>
          eventually(() => expect(instancesOf(hub)).toBe(instances));

        const nameless = start('none', { ADAPTOR_UUID: '' });
        expect([await nameless.ended(), nameless.output()]).toEqual([
          1,
          expect.stringContaining('(ADAPTOR_UUID) is missing'),
        ]);
        const refused = start('none', { CLIENT_SECRET: 'wrong', AUTH_SERVER_URL: service.baseUrl });
        expect([await refused.ended(), refused.output()]).toEqual([
          1,
          expect.stringContaining('the message bus refuses'),
        ]);
        const earlier = start('earlier');
        await untilStarted(1);
        const later = start('later');
        expect(await earlier.ended()).toBe(4);
        await untilStarted(2);
        expect(await later.end('SIGTERM')).toBe(0);
        const last = start('later');
        await untilStarted(3);
        hub.operate({ operation: 'SHUTDOWN', code: 'a code' });
        expect([await last.ended(), last.output()]).toEqual([0, expect.stringContaining('DOWN')]);
        const readme = installed.path('node_modules/@fds', name, 'README.md');
        expect(documentedExitCodes(readme)).toEqual([0, 1, 2, 3, 4]);
        const valid = start('later', {}, '--check');
        expect([await valid.ended(), valid.output()]).toEqual([0, expect.stringContaining('is valid')]);
        if (name !== 'database-adaptor') return;
        rmSync(join(folder, 'suppliers.sqlite'));
        const invalid = start('later', {}, '--check');
        expect([await invalid.ended(), invalid.output()]).toEqual([2, expect.stringContaining('there is no file')]);
      },
      60_000,
    );

    it('start by their bin entry', async () => {
      const bin = installed.path('node_modules/.bin/fds-database-adaptor');
      const failure = await run(bin, { env: { PATH: oldestFirst() } }).catch((error: unknown) => error);
      expect(failure).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('adaptor.uuid (ADAPTOR_UUID) is missing'),
      });

      await createVersion(dgs, {
        name: 'supplier',
        domainType: 'SERVICE_DATA_STORE',
        properties: { id: { type: 'string' }, name: { type: 'string' }, label: { type: 'string' } },
        drKeyProperties: ['id'],
      });
      const file = installed.path('suppliers.sqlite');
      supplierSource(file);
      const adaptor = await createAdaptor(dgs, zone, {
        name: 'Suppliers',
        capabilities: allActions('supplier'),
        metadata: supplierMetadata(file),
      });
      expect(existsSync(bin)).toBe(true);
      const script = installed.path('node_modules/@fds/database-adaptor/bin/fds-database-adaptor.mjs');
      await startAdaptorProcess(leftovers, service, adaptor, { script, node: installed.oldestNode });
      await eventually(async () => {
        expect((await recordsOf('supplier')).map(({ json }) => json)).toEqual([
          { id: '7', name: 'Ironworks', label: '{"number":9007199254740993}' },
        ]);
      });
    }, 120_000);
  },
);
