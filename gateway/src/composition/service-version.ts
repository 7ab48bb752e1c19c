import { readFileSync } from 'node:fs';

interface ServiceManifest {
  readonly version: string;
}

const manifestUrl = new URL('../../package.json', import.meta.url);

/** Version of the server, from its manifest. */
export const serviceVersion = (): string => (JSON.parse(readFileSync(manifestUrl, 'utf8')) as ServiceManifest).version;
