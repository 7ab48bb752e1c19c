import proxyAddr from '@fastify/proxy-addr';
import { settings, type TextRule } from '@fds/service';

const isProxy = (text: string): boolean => {
  try {
    proxyAddr.compile([text]);
    return true;
  } catch {
    return false;
  }
};

const proxyRule: TextRule = {
  allows: isProxy,
  message: 'must be addresses or networks such as 10.0.0.0/8 or 192.0.2.7, separated by commas',
};

/** The origin, number and size of requests that are accepted. */
export const requestSettings = {
  rateLimit: settings.integer(
    'FDS_RATE_LIMIT',
    'Requests a second of one token, and of one address without a valid token, in each process. 0 = no limit.',
    1000,
    { min: 0, max: 10_000_000 },
  ),
  trustedProxies: settings.texts(
    'FDS_TRUSTED_PROXIES',
    'Addresses or networks, separated by commas, whose X-Forwarded-For is believed, for example 10.0.0.0/8. Default: none.',
    proxyRule,
  ),
  corsOrigins: settings.urls(
    'FDS_CORS_ORIGINS',
    'Origins, separated by commas, whose pages may call the service from a browser. Default: its own only.',
  ),
  maxBodyBytes: settings.integer('FDS_MAX_BODY_BYTES', 'Largest request body.', 1_048_576, {
    min: 1024,
    max: 104_857_600,
  }),
  maxFileBytes: settings.integer(
    'FDS_BULK_MAX_BYTES',
    'Largest file of the bulk import, and of documents of configuration.',
    10_485_760,
    { min: 1024, max: 1_073_741_824 },
  ),
  planMinutes: settings.integer('FDS_PLAN_MINUTES', 'Minutes in which a plan of configuration can be applied.', 60, {
    min: 1,
    max: 10_080,
  }),
} as const;
