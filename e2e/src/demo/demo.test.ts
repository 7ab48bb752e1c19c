import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { eventually } from '@fds/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { root, spawnScript, type Spawned } from '../harness/spawned.js';

const run = promisify(execFile);

/** Patterns of the commands' output, by the first words of their titles. */
const promises: Readonly<Record<string, RegExp>> = {
  'The links of four customers': /"totalElements":8/,
  'The live records': /Ada Lovelace.*"name":"Billing"/,
  'Change a name': /^$/,
  'A denied flow': /"status":"DENIED"[^}]*"aclUuid":"[0-9a-f-]{36}"/,
  'The entry that denies': /Customers stay here/,
  'A data issue': /"exception":"PARSING".*at the front desk/,
  'An adaptor that is down': /"name":"Warehouse".*"state":"DOWN"|"state":"DOWN".*"name":"Warehouse"/,
  'The messages that wait': /"messageCount":[1-9]/,
  'An assembly that asks': /"status":"UNAVAILABLE"/,
};

describe('the demo', () => {
  let demo: Spawned;
  let printed: string;

  beforeAll(async () => {
    demo = spawnScript({ script: 'e2e/dist/demo/demo.js', environment: {} });
    await eventually(
      () => {
        printed = demo.output();
        if (!demo.running) throw new Error(`the demo ended:\n${printed}`);
        expect(printed).toContain('Ctrl-C ends everything.');
      },
      { deadlineMs: 120_000 },
    );
  }, 150_000);

  afterAll(async () => {
    expect(await demo.end('SIGINT')).toBe(0);
  }, 60_000);

  it('prints commands that prove its claims', async () => {
    const token = /^ {2}(TOKEN=.*)$/m.exec(printed)?.[1] ?? '';
    const claims = [...printed.matchAll(/^\d+\. (.*):\n {2}(.*)$/gm)].map(
      ([, title = '', command = '']) => [title, command] as const,
    );
    expect(claims).toHaveLength(Object.keys(promises).length);
    for (const [title, command] of claims) {
      const promise = Object.entries(promises).find(([words]) => title.startsWith(words))?.[1];
      const { stdout } = await run('bash', ['-c', `${token}\n${command}`], { cwd: root });
      expect([title, stdout]).toEqual([title, expect.stringMatching(promise ?? /no such claim/)]);
    }
  }, 120_000);
});
