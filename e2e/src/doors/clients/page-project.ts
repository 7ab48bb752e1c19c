import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Leftovers } from '../../harness/leftovers.js';
import { root, spawnScript, type Spawned } from '../../harness/spawned.js';

/** The examples of a page as a project. */
export interface PageProject {
  readonly directory: string;
  /** The text of an example by its title. */
  read(title: string): string;
  write(name: string, text: string): void;
  /** Compiles all modules that match, as an application with strict types does. @throws Error with the faults that the compiler finds */
  compile(...include: readonly string[]): Promise<void>;
  /** Runs a script of the checkout to its end. @throws Error with its output when it fails */
  run(script: string, ...args: readonly string[]): Promise<void>;
  /** Starts a compiled module. */
  start(module: string, environment: Readonly<Record<string, string>>): Spawned;
}

const example = /^```\w+ title="([^"]+)"\n([\s\S]*?)^```$/gm;

const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  target: 'es2022',
  module: 'nodenext',
  skipLibCheck: true,
  rootDir: '.',
  types: ['node'],
};

/**
 * Writes the examples of a page, the fenced blocks with a `title`, as the files of a project.
 *
 * @param page from the root of the checkout
 */
export const createPageProject = (leftovers: Leftovers, page: string): PageProject => {
  const text = readFileSync(join(root, page), 'utf8');
  const examples = new Map([...text.matchAll(example)].map(([, title = '', code = '']) => [title, code]));
  const directory = mkdtempSync(join(tmpdir(), 'fds-clients-'));
  leftovers.add(() => rmSync(directory, { recursive: true, force: true }));
  const write = (name: string, content: string): void => {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), content);
  };
  for (const [title, code] of examples) write(title, code);
  write('package.json', '{"type": "module"}');
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));

  const run: PageProject['run'] = async (script, ...args) => {
    const spawned = spawnScript({ script, args, environment: {} });
    if ((await spawned.ended()) !== 0) throw new Error(`${script} failed:\n${spawned.output()}`);
  };

  return {
    directory,
    write,
    run,
    read: (title) => {
      const code = examples.get(title);
      if (code === undefined) throw new Error(`${page} has no example ${title}`);
      return code;
    },
    compile: async (...include) => {
      write('tsconfig.json', JSON.stringify({ compilerOptions, include }));
      await run('node_modules/typescript-native/bin/tsc', '-p', directory);
    },
    start: (module, environment) => {
      const spawned = spawnScript({ script: join(directory, module), environment, cwd: directory });
      leftovers.add(async () => {
        await spawned.end('SIGKILL');
      });
      return spawned;
    },
  };
};
