// Writes every generated file of the repository. With --check it only reports stale ones.
import { renderErrorsPage } from '@fds/errors';
import { subgraphNames } from '@fds/graphql';
import { renderReadingPlan } from '@fds/records';
import { renderEndpointsPage } from '@fds/rest-facade';
import { renderSettingsPage } from '@fds/service';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serviceSettings } from './composition/settings/service-settings.js';
import { backupDescription } from './backup/index.js';
import { openidEndpoints } from './login/openid-endpoints.js';
import { buildApiSchema } from './stitching/api-schema.js';
import { composeSupergraph } from './stitching/compose-supergraph.js';

const root = new URL('../../', import.meta.url);

const composed = composeSupergraph(
  subgraphNames.map((name) => ({
    name,
    typeDefs: readFileSync(new URL(`subgraphs/${name}/schema.graphql`, root), 'utf8'),
  })),
);

const files: Readonly<Record<string, string>> = {
  'gateway/supergraph.graphql': composed.supergraph,
  'gateway/api.graphql': composed.api,
  'docs/reference/errors.md': renderErrorsPage(),
  'docs/reference/settings.md': renderSettingsPage(serviceSettings),
  'docs/reference/reading-plan.md': renderReadingPlan(),
  'docs/reference/rest-endpoints.md': renderEndpointsPage(buildApiSchema(composed.api), [
    backupDescription,
    ...openidEndpoints,
  ]),
};

const textOf = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // not generated yet
    return undefined;
  }
};

for (const [name, text] of Object.entries(files)) {
  const file = fileURLToPath(new URL(name, root));
  if (textOf(file) === text) continue;
  if (process.argv.includes('--check')) {
    console.error(`${name} is stale: npm run generate:pages`);
    process.exitCode = 1;
  } else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(`wrote ${name}`);
  }
}
