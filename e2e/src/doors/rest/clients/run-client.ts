import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import { root } from '../../../harness/spawned.js';

const run = promisify(execFile);

const options = {
  strict: true,
  exactOptionalPropertyTypes: true,
  target: 'es2023',
  module: 'nodenext',
  lib: ['es2023', 'dom'],
  types: ['node'],
  noEmitOnError: true,
};

/** A program of a client of the API. */
export interface ClientProgram {
  /** The OpenAPI document, as the service sends it. */
  readonly document: string;
  /** TypeScript. It imports the generated types from `./api.js`. */
  readonly source: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Generates types for a document, compiles a program against them with `--strict`, and runs it.
 *
 * @returns the output of the program
 * @throws Error with the faults of the compiler, or with the output of a failing program
 */
export const runClient = async ({ document, source, environment }: ClientProgram): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'fds-client-'));
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['client.ts'] }));
    writeFileSync(join(folder, 'api.d.ts'), astToString(await openapiTS(document)));
    writeFileSync(join(folder, 'client.ts'), source);
    const compiler = join(root, 'node_modules/typescript-native/bin/tsc');
    await run(process.execPath, [compiler, '-p', folder]).catch((error: { readonly stdout?: string }) => {
      throw new Error(`the client does not compile:\n${error.stdout}`);
    });
    const { stdout } = await run(process.execPath, [join(folder, 'client.js')], {
      env: { PATH: process.env['PATH'], ...environment },
    });
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
