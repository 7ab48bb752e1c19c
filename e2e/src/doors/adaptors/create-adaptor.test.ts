import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { type Refusal, type RunningAdaptor, startAdaptor } from '@fds/adaptor-sdk';
import { createVersion, requireStatus } from '../../harness/catalogue.js';
import { type Client, signIn } from '../../harness/client.js';
import { freePort } from '../../harness/free-port.js';
import { createLeftovers } from '../../harness/leftovers.js';
import { startService, type Service } from '../../harness/service.js';
import { spawnScript } from '../../harness/spawned.js';

const leftovers = createLeftovers();
let service: Service;
let dgs: Client;
let folder: string;

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

/** Runs `fds-adaptor init` as dgs. */
const init = async (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly output: string }> => {
  const spawned = spawnScript({
    script: 'adaptors/sdk/bin/fds-adaptor.mjs',
    args: ['init', ...args],
    cwd: folder,
    environment: {
      FDS_SERVER: service.baseUrl,
      FDS_USER: 'dgs',
      FDS_PASSWORD: service.passwords.dgs,
      ...environment,
    },
  });
  const code = await spawned.ended();
  return { code, output: spawned.output() };
};

const adaptorsNamed = async (name: string): Promise<number> => {
  const { zones } = await dgs.graphql<{ zones: { data: { uuid: string }[] } }>('{ zones { data { uuid } } }');
  const { body } = requireStatus(
    await dgs.rest<{ adaptors: { name: string }[] }>('GET', `/zones/${zones.data[0]?.uuid}/adaptors?size=1000`),
    200,
  );
  return body.adaptors.filter((adaptor) => adaptor.name === name).length;
};

const writtenProperties = (file: string): Record<string, string> =>
  Object.fromEntries(
    readFileSync(join(folder, file), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' = ').map((part) => part.replaceAll('\\', '')) as [string, string]),
  );

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fds-init-'));
  leftovers.add(() => rmSync(folder, { recursive: true, force: true }));
  service = await startService(leftovers);
  dgs = await signIn({ ...service, username: 'dgs', password: service.passwords.dgs });
  await createVersion(dgs, {
    name: 'customer',
    domainType: 'FEDERATED',
    properties: { id: { type: 'string' }, name: { type: 'string' } },
    drKeyProperties: ['id'],
  });
}, 120_000);
afterAll(() => leftovers.dispose(), 120_000);

describe('fds-adaptor init', () => {
  it('creates the adaptor once even if it runs several times, and writes properties that only the owner can read', async () => {
    const args = ['--name', 'CRM', '--capability', 'customer:1', '--bus', service.busUrl, '--port', '0'];
    expect(await init(args)).toMatchObject({ code: 0, output: expect.stringContaining('created the adaptor: CRM') });
    const file = join(folder, 'adaptor.properties');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const first = readFileSync(file, 'utf8');
    writeFileSync(file, `${first}concurrency = 4\n`);
    expect(await init(args)).toMatchObject({ code: 0, output: expect.stringContaining('the adaptor was there: CRM') });
    expect(readFileSync(file, 'utf8')).toBe(`${first}concurrency = 4\n`);
    const less = ['--name', 'CRM', '--capability', 'customer:1=put,get', '--bus', service.busUrl];
    expect(await init(less)).toMatchObject({ code: 0, output: expect.stringContaining('got the new settings') });
    expect(await adaptorsNamed('CRM')).toBe(1);
  }, 120_000);

  it.each<readonly [string, readonly string[], Readonly<Record<string, string>>, number, string]>([
    [
      'a wrong password',
      ['--name', 'x'],
      { FDS_PASSWORD: 'wrong' },
      1,
      'does not accept the user dgs with this password: ',
    ],
    ['a token that is not valid', ['--name', 'x'], { FDS_TOKEN: 'x' }, 1, 'the token is not valid'],
    ['a server that is not there', ['--name', 'x', '--server', 'http://127.0.0.1:1'], {}, 1, 'cannot be reached'],
    ['an address that is not one', ['--name', 'x', '--server', 'localhost'], {}, 1, 'not the address of a server'],
    ['an unknown zone', ['--name', 'x', '--zone', 'Mars'], {}, 1, 'no zone "Mars"; there are: Root'],
    ['an unknown type', ['--name', 'x', '--type', 'Toaster'], {}, 1, 'no adaptor type "Toaster"; there are:'],
    ['an unknown version', ['--name', 'x', '--capability', 'customer:9'], {}, 1, 'no domain version customer:9; there'],
    ['a name that is missing', [], {}, 1, '--name is missing'],
    ['a metadata file that is not there', ['--name', 'x', '--metadata', 'none.json'], {}, 1, '--metadata none.json'],
    ['a capability that is not one', ['--name', 'x', '--capability', 'customer'], {}, 2, '"customer" is not a capab'],
    ['an unknown action', ['--name', 'x', '--capability', 'customer:1=EAT'], {}, 2, 'EAT is not one of POST'],
    ['an unknown flag', ['--nam', 'x'], {}, 2, 'there is no option --nam (nearest: "--name")'],
    ['the file of another adaptor', ['--name', 'Other'], {}, 1, 'belongs to another adaptor'],
    ['a folder that is not there', ['--name', 'Lost', '--out', 'no/adaptor.properties'], {}, 1, 'ENOENT'],
  ])(
    'names the cause when it fails: %s',
    async (_, args, environment, code, reason) => {
      const ended = await init(args, environment);
      expect(ended).toEqual({ code, output: expect.stringContaining(reason) });
      expect(ended.output).not.toMatch(/\n {4}at /);
    },
    30_000,
  );

  it('sets up an adaptor that runs, receives the notice of a refused event, and ends when another process takes over', async () => {
    const args = ['--name', 'ERP', '--capability', 'customer:1', '--bus', service.busUrl, '--out', 'erp.properties'];
    expect(await init(args)).toMatchObject({ code: 0 });
    const properties = writtenProperties('erp.properties');
    const refusals: Refusal[] = [];
    const start = async (name: string): Promise<RunningAdaptor> => {
      const adaptor = await startAdaptor({
        handlers: { refused: (refusal) => void refusals.push(refusal) },
        log: silent,
        properties: { ...properties, 'data.directory': join(folder, name), port: String(await freePort()) },
      });
      leftovers.add(() => adaptor.stop());
      await eventually(() => expect(adaptor.state).toBe('STARTED'));
      return adaptor;
    };
    const first = await start('first');
    await first.publish({ action: 'PUT', domain: 'customer', version: 1, json: { id: '1', colour: 'red' } });
    await eventually(() => expect(refusals).toHaveLength(1));
    expect(refusals[0]).toMatchObject({
      sequence: 1,
      domain: 'customer',
      errors: [{ pointer: '/json/colour', code: 'UNKNOWN_PROPERTY' }],
    });
    const second = await start('second');
    expect(await first.stopped).toBe('SUPERSEDED');
    await second.publish({ action: 'PUT', domain: 'customer', version: 1, json: { id: '2', name: 'Ada' } });
    await eventually(async () => {
      const { body } = await dgs.rest<{ drs?: { drKey: unknown }[] }>('GET', '/drs?filters=name:customer');
      expect(body.drs?.map(({ drKey }) => drKey)).toEqual([{ id: '2' }]);
    });
    expect(second.state).toBe('STARTED');
  }, 120_000);

  it('starts an adaptor in discovery mode where another one has records, and prints commands for the next steps', async () => {
    const args = ['--capability', 'customer:1', '--bus', service.busUrl];
    const first = await init(['--name', 'CRM', ...args]);
    expect(first.output).not.toContain('discovery mode');
    const joined = await init(['--name', 'Shop', ...args, '--out', 'shop.properties']);
    expect(joined).toMatchObject({ code: 0, output: expect.stringContaining('records of customer:1: ERP') });
    const commands = joined.output.split('\n').filter((line) => line.startsWith('  '));
    const script = commands.filter((line) => !line.includes('/reconciliations')).join('\n');
    const answer = execFileSync('sh', ['-e', '-c', script], {
      encoding: 'utf8',
      env: { ...process.env, FDS_PASSWORD: service.passwords.dgs },
    });
    expect(answer).toContain('{"discovery":[]}');
    expect(answer).toContain('"discoveryMode":false');
    expect(commands.filter((line) => line.includes('"missingHere":"SEND"'))).toHaveLength(1);
    // the adaptor was there: its mode is the steward's
    const again = await init(['--name', 'Shop', ...args, '--out', 'shop.properties']);
    expect(again.output).not.toContain('discovery mode');
  }, 120_000);
});
