import type { CapabilityOption } from './parse-capability.js';

/**
 * The source of an adaptor that runs: a folder of JSON files is its system of record. The author replaces `read`,
 * `write` and `remove`.
 */
export const skeletonSource = (capabilities: readonly CapabilityOption[]): string => {
  const names = [...new Set(capabilities.map(({ domainName, versionNumber }) => `${domainName}:${versionNumber}`))];
  const table = names.map((name) => `      ${JSON.stringify(name)}: { post: write, put: write, delete: remove },`);
  return `// An adaptor of the Federated Data Service. Start it with: node THIS_FILE
// It keeps the records of each domain as JSON files below ./records. Replace read, write and remove by your system.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { startAdaptor, stringifyJson, parseJson } from '@fds/adaptor-sdk';

const keys = new Map(); // domain to its DR Key properties
const fileOf = ({ domain }, keyValues) => \`records/\${domain}/\${encodeURIComponent(stringifyJson(keyValues))}.json\`;
const read = (file) => (existsSync(file) ? parseJson(readFileSync(file, 'utf8')) : null);

// An absent property stays as it is; null is a value. An error thrown here becomes a data issue on the server.
const write = (event) => {
  const file = fileOf(event, event.drKeyValues);
  mkdirSync(\`records/\${event.domain}\`, { recursive: true });
  writeFileSync(file, stringifyJson({ ...read(file), ...event.json }));
};
const remove = (event) => rmSync(fileOf(event, event.drKeyValues), { force: true });

const adaptor = await startAdaptor({
  handlers: (self) => ({
    // Called with the metadata that the server keeps for this adaptor. A throw puts the adaptor into ERROR.
    configure: ({ domainVersions }) => {
      for (const { domain, drKeyProperties } of domainVersions) keys.set(domain, drKeyProperties);
    },
    // Report changes of your system here: self.publish({ action: 'PUT', domain, version, json })
    play: () => self.log.info({}, 'this skeleton reports no changes yet'),
    pause: () => undefined,
    domains: {
${table.join('\n')}
    },
    assemble: async ({ domain, records }) => ({
      records: (records ?? []).map((record) => ({
        ...record,
        data: read(fileOf({ domain }, (keys.get(domain) ?? []).map((name) => record.drKey[name] ?? null))),
      })),
    }),
    refused: ({ sequence, message }) => self.log.warn({ sequence }, message),
  }),
});
process.once('SIGINT', () => adaptor.stop());
process.once('SIGTERM', () => adaptor.stop());
await adaptor.stopped;
`;
};
