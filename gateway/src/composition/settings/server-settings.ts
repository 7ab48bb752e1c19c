import { settings } from '@fds/service';
import { anyPort } from './any-port.js';

/** Addresses of the doors. */
export const serverSettings = {
  host: settings.text('FDS_HOST', 'Address the servers listen on.', '127.0.0.1'),
  port: settings.integer(
    'FDS_PORT',
    'Port of the server: REST, GraphQL, OAuth, pages. 0 = any free port.',
    8080,
    anyPort,
  ),
  mcpWrite: settings.boolean(
    'FDS_MCP_WRITE',
    'May programs of language models change something at /mcp: settle issues, set the state of adaptors? The permissions of the caller hold in any case.',
    false,
  ),
  baseUrl: settings.url(
    'FDS_BASE_URL',
    'Address that clients see; issuer of tokens. Its host is told to adaptors when FDS_HOST is 0.0.0.0 or ::. Default: from host and port.',
  ),
} as const;
