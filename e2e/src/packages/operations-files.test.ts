import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from '../harness/spawned.js';

const analyze = '/usr/bin/systemd-analyze';
const verify = existsSync(analyze) ? it : it.skip;
const why = existsSync(analyze) ? '' : ' (skipped: systemd-analyze is not installed)';

const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

describe('the files for operators', () => {
  const unit = textOf('docs/operations/fds.service');
  // instructions, each joined with its continuation lines
  const instructions = textOf('Dockerfile')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const valuesOf = (name: string): string[] =>
    instructions.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));

  verify(`have a unit without faults according to systemd${why}`, () => {
    const said = execFileSync(analyze, ['verify', join(root, 'docs/operations/fds.service')], { encoding: 'utf8' });
    expect(said).toBe('');
  });

  it('start a script that exists, without root', () => {
    const started = /^ExecStart=\/usr\/bin\/env node (\S+)$/m.exec(unit)?.[1] ?? '';
    expect(existsSync(join(root, started))).toBe(true);
    expect(unit).toMatch(/^User=(?!root)\w+$/m);
    expect(JSON.parse(valuesOf('CMD')[0] ?? '[]')).toEqual(['node', started]);
    expect(valuesOf('USER')).toEqual(['node']);
  });

  it('have a Dockerfile of known instructions, on Node 24, with its state in a volume and a health check that runs', () => {
    const known = /^(?:FROM|WORKDIR|COPY|RUN|ENV|USER|VOLUME|EXPOSE|STOPSIGNAL|HEALTHCHECK|CMD) \S/;
    expect(instructions.filter((line) => !known.test(line))).toEqual([]);
    expect(valuesOf('FROM')).toEqual(['node:24-slim AS build', 'node:24-slim']);
    const [, dataDirectory] = /FDS_DATA_DIR=(\S+)/.exec(valuesOf('ENV')[0] ?? '') ?? [];
    expect(valuesOf('VOLUME')).toEqual([dataDirectory]);
    const check = /CMD (\[.*\])$/.exec(valuesOf('HEALTHCHECK')[0] ?? '')?.[1] ?? '[]';
    const [, ...args] = JSON.parse(check) as string[];
    // no server listens at the port of a closed server, so the check must fail, but not because of its syntax
    const script = (args[1] ?? '').replace(':8080', ':1');
    expect(() => execFileSync(process.execPath, ['-e', script], { stdio: 'pipe' })).toThrow(
      expect.objectContaining({ status: 1, stderr: Buffer.from('') }),
    );
  });
});
