import type { CapabilityOption } from './parse-capability.js';

/**
 * The source of an adaptor that runs: a folder of JSON files is its system of record. The author replaces `read`,
 * `write` and `remove`.
 */
export const skeletonSource = (capabilities: readonly CapabilityOption[]): string => {
  const names = [...new Set(capabilities.map(({ domainName, versionNumber }) => `${domainName}:${versionNumber}`))];
  const table = names.map((name) => `        ${JSON.stringify(name)}: { post: write, put: write, delete: remove },`);
  return `// An adaptor of the Federated Data Service. Start it with: node THIS_FILE
// It keeps the records of each domain as JSON files below ./records, and reports files that you change. Replace read,
// write, remove and scan by your system. It does not report files that you delete.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { newProperties, parseJson, runAdaptor, stringifyJson } from '@fds/adaptor-sdk';

const versions = ${JSON.stringify(names)};
const folderOf = (domain) => \`records/\${encodeURIComponent(domain)}\`;
for (const name of versions) mkdirSync(folderOf(name.slice(0, name.lastIndexOf(':'))), { recursive: true });
const fileOf = (domain, keyValues) => \`\${folderOf(domain)}/\${encodeURIComponent(stringifyJson(keyValues))}.json\`;
const put = (file, text) => {
  writeFileSync(\`\${file}.tmp\`, text);
  renameSync(\`\${file}.tmp\`, file);
};
const read = (file) => (existsSync(file) ? parseJson(readFileSync(file, 'utf8')) : null);

// The content that was reported or applied, by file. It is no news, also after a restart.
const known = new Map(Object.entries(read('records/known.json') ?? {}));
const digestOf = (text) => createHash('sha256').update(text).digest('hex');
const remember = (file, text) => {
  known.set(file, digestOf(text));
  put('records/known.json', JSON.stringify(Object.fromEntries(known)));
};

// Only new properties are written: the others are repeated, and the file may hold a newer value. Null is a value.
// An error thrown here becomes a data issue on the server.
const write = (event) => {
  const { domain, drKeyValues, json } = event;
  const file = fileOf(domain, drKeyValues);
  const before = read(file);
  const names = before === null ? Object.keys(json) : newProperties(event);
  const text = stringifyJson({ ...before, ...Object.fromEntries(names.map((name) => [name, json[name]])) });
  remember(file, text); // first: after a crash in between the event comes again
  put(file, text);
};
const remove = ({ domain, drKeyValues }) => rmSync(fileOf(domain, drKeyValues), { force: true });

const keys = new Map(); // domain to its DR Key properties
let timer;
let scanning = Promise.resolve();
// Ends with 0 after SIGTERM, SIGINT or the shutdown of the server, with 1 when it cannot start, and with 4 when another process
// with the same credentials has taken over.
await runAdaptor({
  handlers: (self) => {
    const scan = async (name) => {
      const [domain, version] = [name.slice(0, name.lastIndexOf(':')), Number(name.slice(name.lastIndexOf(':') + 1))];
      for (const entry of readdirSync(folderOf(domain)).filter((entry) => entry.endsWith('.json'))) {
        const file = \`\${folderOf(domain)}/\${entry}\`;
        const jsonData = readFileSync(file, 'utf8');
        if (known.get(file) === digestOf(jsonData)) continue;
        await self.publish({ action: 'PUT', domain, version, jsonData });
        if (readFileSync(file, 'utf8') === jsonData) remember(file, jsonData);
      }
    };
    const scanAll = async () => {
      for (const name of versions) await scan(name).catch((err) => self.log.error({ err }, \`\${name} was not scanned\`));
    };
    return {
      // Called with the metadata that the server keeps for this adaptor. A throw puts the adaptor into ERROR.
      configure: ({ domainVersions }) => {
        for (const { domain, drKeyProperties } of domainVersions) keys.set(domain, drKeyProperties);
      },
      play: () => {
        timer = setInterval(() => {
          scanning = scanning.then(scanAll);
        }, 500);
      },
      pause: () => {
        clearInterval(timer);
        return scanning;
      },
      domains: {
${table.join('\n')}
      },
      assemble: async ({ domain, records }) => ({
        records: (records ?? []).map((record) => {
          const keyValues = (keys.get(domain) ?? []).map((name) => record.drKey[name] ?? null);
          return { ...record, data: read(fileOf(domain, keyValues)) };
        }),
      }),
      refused: ({ sequence, message }) => self.log.warn({ sequence }, message),
    };
  },
});
`;
};
