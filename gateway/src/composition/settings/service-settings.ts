import { subgraphNames } from '@fds/graphql';
import { loadSettings, SettingsError } from '@fds/service';
import { assemblySettings } from './assembly-settings.js';
import { busSettings } from './bus-settings.js';
import { databaseSettings } from './database-settings.js';
import { graphqlSettings } from './graphql-settings.js';
import { notificationSettings } from './notification-settings.js';
import { processSettings } from './process-settings.js';
import { requestSettings } from './request-settings.js';
import { serverSettings } from './server-settings.js';
import { signInSettings } from './sign-in-settings.js';
import { socketSettings } from './socket-settings.js';
import { webhookSettings } from './webhook-settings.js';
import { holds, serviceParts, usesBus, type Part } from './service-parts.js';

/** Every setting of the service, in the order of docs/reference/settings.md, which is generated from this table. */
export const serviceSettings = {
  ...serverSettings,
  ...assemblySettings,
  ...busSettings,
  ...databaseSettings,
  ...signInSettings,
  ...requestSettings,
  ...graphqlSettings,
  ...socketSettings,
  ...webhookSettings,
  ...notificationSettings,
  ...processSettings,
} as const;

export type ServiceSettings = ReturnType<typeof loadServiceSettings>;

type Environment = Readonly<Record<string, string | undefined>>;

const togetherFaults = (values: ReturnType<typeof read>): string[] => {
  const { parts: run, busUrl, baseUrl, oidcIssuer, oidcClientId } = values;
  const runs = (part: Part): boolean => run.includes(part);
  const isWhole = serviceParts.every(runs);
  return [
    ...(runs('gateway')
      ? subgraphNames
          .filter((part) => !holds(run, part) && values[`${part}Url`] === undefined)
          .map((part) => `FDS_${part.toUpperCase()}_URL: required where ${part} runs elsewhere`)
      : []),
    ...(isWhole || busUrl !== undefined || !usesBus(run)
      ? []
      : ['FDS_BUS_URL: several processes need an external broker']),
    ...((oidcIssuer === undefined) === (oidcClientId === undefined)
      ? []
      : ['OIDC_ISSUER_URL and OIDC_CLIENT_ID: one needs the other']),
    ...(runs('gateway') || baseUrl !== undefined
      ? []
      : ['FDS_BASE_URL: required without the gateway, it is the issuer of tokens']),
  ];
};

const read = (environment: Environment) => loadSettings(serviceSettings, environment);

/** Reads the settings from the environment, once. @throws SettingsError with every fault */
export const loadServiceSettings = (environment: Environment) => {
  const values = read(environment);
  const faults = togetherFaults(values);
  if (faults.length > 0) throw new SettingsError(faults);
  return values;
};
