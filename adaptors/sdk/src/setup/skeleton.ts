import type { CapabilityOption } from './parse-capability.js';

/**
 * The source of an adaptor that runs: a folder of JSON files is its system of record. The author replaces `read`,
 * `write` and `remove`.
 */
export const skeletonSource = (capabilities: readonly CapabilityOption[]): string => {
  const names = [...new Set(capabilities.map(({ domainName, versionNumber }) => `${domainName}:${versionNumber}`))];
  const table = names.map(
    (name) =>
      `        ${JSON.stringify(name)}: { post: applied(write), put: applied(write), delete: applied(remove) },`,
  );
  return `// An adaptor of the Federated Data Service. Start it with: node THIS_FILE
// It keeps the records of each domain as JSON files below ./records, and reports files that you change. Replace read,
// write, remove and scan by your system. It does not report files that you delete.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { ApplyError, areEqualJson, mergeEvent, parseJson, runAdaptor, stringifyJson } from '@fds/adaptor-sdk';

const versions = ${JSON.stringify(names)};
const folderOf = (domain) => \`records/\${encodeURIComponent(domain)}\`;
for (const name of versions) mkdirSync(folderOf(name.slice(0, name.lastIndexOf(':'))), { recursive: true });
const fileOf = (domain, keyValues) => \`\${folderOf(domain)}/\${encodeURIComponent(stringifyJson(keyValues))}.json\`;
const put = (file, text) => {
  writeFileSync(\`\${file}.tmp\`, text);
  renameSync(\`\${file}.tmp\`, file);
};
const read = (file) => (existsSync(file) ? parseJson(readFileSync(file, 'utf8')) : null);

// The base of each file: the record that was reported or applied last. It is no news, also after a restart. \`former\` is the base
// before a write that may not have reached the file, after a crash.
const known = new Map(Object.entries(read('records/known.json') ?? {}));
const remember = (file, entry) => {
  if (entry === undefined) known.delete(file);
  else known.set(file, entry);
  put('records/known.json', stringifyJson(Object.fromEntries(known)));
};
const baseOf = (file, local) => {
  const { base, former } = known.get(file) ?? {};
  if (former === undefined || local === null) return base;
  const names = Object.keys({ ...base, ...former });
  const reached = (name) => (areEqualJson(former[name], local[name]) ? former : base);
  return Object.fromEntries(names.flatMap((name) => (name in reached(name) ? [[name, reached(name)[name]]] : [])));
};
const unreported = (base, local) =>
  Object.keys({ ...base, ...local }).filter((name) => !areEqualJson(base?.[name], local[name]));

// Writes the new properties, except those with a value that was not reported yet: they are kept, and reported next. Null is a value.
const write = (event) => {
  const file = fileOf(event.domain, event.drKeyValues);
  const local = read(file);
  const former = local === null ? undefined : baseOf(file, local);
  const merged = mergeEvent({ base: former, local: local ?? undefined, event });
  remember(file, { base: merged.base, former: former ?? {} });
  put(file, stringifyJson({ ...local, ...merged.write }));
  remember(file, { base: merged.base });
  return { kept: merged.kept };
};
const remove = ({ domain, drKeyValues }) => {
  const file = fileOf(domain, drKeyValues);
  const local = read(file);
  const kept = local === null ? [] : unreported(baseOf(file, local), local);
  if (kept.length > 0) return { kept };
  rmSync(file, { force: true });
  remember(file, undefined);
};
// While the folder is away, an event waits. Any other error is a data issue on the server; its title is for a steward.
const applied = (handle) => (event) => {
  const folder = folderOf(event.domain);
  if (!existsSync(folder))
    throw new ApplyError(\`the folder \${folder} is away\`, { retry: 'UNTIL_IT_WORKS', waitsFor: folder });
  try {
    return handle(event);
  } catch (error) {
    throw new ApplyError(error.message, { title: 'The folder of records refuses the record', cause: error });
  }
};

const keys = new Map(); // domain to its DR Key properties
let timer;
let scanning = Promise.resolve();
// Ends with 0 after SIGTERM, SIGINT or the shutdown of the server, with 1 when it cannot start, and with 4 when another process
// with the same credentials has taken over.
await runAdaptor({
  handlers: (self) => {
    const scan = async (name) => {
      const [domain, version] = [name.slice(0, name.lastIndexOf(':')), Number(name.slice(name.lastIndexOf(':') + 1))];
      const entries = readdirSync(folderOf(domain)).filter((entry) => entry.endsWith('.json'));
      for (const entry of entries) {
        const file = \`\${folderOf(domain)}/\${entry}\`;
        const json = read(file);
        if (json === null || unreported(baseOf(file, json), json).length === 0) continue;
        await self.publish({ action: 'PUT', domain, version, json });
        if (areEqualJson(read(file), json)) remember(file, { base: json });
      }
      await self.reportDiscovered({ domain, version, records: entries.length }); // counts in discovery mode only, once
    };
    const scanAll = async () => {
      for (const name of versions)
        await scan(name).then(
          () => self.clearSource(name),
          ({ message }) => self.reportSource({ source: name, reason: \`\${name} was not scanned: \${message}\` }),
        );
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
