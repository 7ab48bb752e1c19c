// Generates the typed documents of a project like `graphql-codegen` does. The folder of the project is the argument. It
// calls the preset directly, because the command has hundreds of dependencies.
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { preset } from '@graphql-codegen/client-preset';
import { codegen } from '@graphql-codegen/core';
import { parse } from 'graphql';

interface Target {
  readonly config: Record<string, unknown>;
  readonly presetConfig: Record<string, unknown>;
}

interface Configuration {
  readonly schema: string;
  readonly generates: Readonly<Record<string, Target>>;
}

const directory = process.argv[2];
if (directory === undefined) throw new Error('the argument is the folder of a project');

const { default: configuration } = (await import(pathToFileURL(join(directory, 'codegen.js')).href)) as {
  readonly default: Configuration;
};
const schema = parse(await readFile(join(directory, configuration.schema), 'utf8'));
const names = (await readdir(join(directory, 'src'))).filter((name) => name.endsWith('.graphql'));
const documents = await Promise.all(
  names.map(async (name) => {
    const location = join(directory, 'src', name);
    const rawSDL = await readFile(location, 'utf8');
    return { location, rawSDL, document: parse(rawSDL) };
  }),
);
for (const [folder, { config, presetConfig }] of Object.entries(configuration.generates)) {
  const baseOutputDir = `${join(directory, folder)}/`;
  const options = { baseOutputDir, config, presetConfig, schema, documents, plugins: [], pluginMap: {} };
  for (const section of await preset.buildGeneratesSection(options)) {
    await mkdir(dirname(section.filename), { recursive: true });
    await writeFile(section.filename, await codegen(section));
  }
}
