import { join } from 'node:path';
import { lintFromString, loadConfig } from '@redocly/openapi-core';
import { root } from '../../../harness/spawned.js';

/** The faults that the rules of `redocly.yaml` find in an OpenAPI document, each with its place. */
export const lintDocument = async (document: string): Promise<readonly string[]> => {
  const config = await loadConfig({ configPath: join(root, 'redocly.yaml') });
  const problems = await lintFromString({ source: document, config });
  return problems.map(
    ({ ruleId, message, location: [place] }) => `${ruleId}: ${message} (${place?.pointer ?? 'the document'})`,
  );
};
