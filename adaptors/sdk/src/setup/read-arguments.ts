import { parseArgs } from 'node:util';
import { parseCapability, type CapabilityOption } from './parse-capability.js';
import { nearestTo } from '../program/nearest.js';
import { SetupFailure } from './setup-failure.js';

/** Arguments of `fds-adaptor init`, from flags and environment. The command asks for missing values at a terminal. */
export interface InitArguments {
  readonly server: string | undefined;
  readonly token: string | undefined;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** Name or uuid. */
  readonly zone: string | undefined;
  /** Name or uuid. */
  readonly type: string | undefined;
  readonly capabilities: readonly CapabilityOption[];
  /** File with the metadata of the adaptor. */
  readonly metadataFile: string | undefined;
  /** Address of the message bus, instead of the address from the server. */
  readonly bus: string | undefined;
  readonly port: string | undefined;
  readonly propertiesFile: string;
  /** File of the source skeleton; undefined: none is written. */
  readonly skeleton: string | undefined;
  readonly force: boolean;
}

export const usage = `fds-adaptor init: creates an adaptor on the server and writes its adaptor.properties

  --server URL          address of the server, for example http://localhost:8080   (FDS_SERVER)
  --token TOKEN         access token, for example of a person who signed in at     (FDS_TOKEN)
                        <server>/openid/login; or a user and a password
  --user NAME           client id of a service account, or dgs                     (FDS_USER)
                        the password is asked for, or comes from FDS_PASSWORD
  --name NAME           name of the adaptor in its zone; an adaptor of that name is used again
  --description TEXT
  --zone NAME|UUID      needed when you see more than one zone                     (FDS_ZONE)
  --type NAME|UUID      adaptor type; its capabilities and metadata are inherited
  --capability D:V[=A]  domain, version and actions, for example customer:1=POST,PUT,DELETE,GET; repeatable
                        (default of the actions: all four)
  --metadata FILE       JSON file with the metadata of the adaptor
  --bus URL             message bus as seen from here, when it differs from the server's view
  --port PORT           port of the health endpoint
  --out FILE            default adaptor.properties
  --skeleton FILE       writes a source skeleton that runs, for example adaptor.mjs
  --force               overwrites a properties file of another adaptor and an existing skeleton

Exit codes: 0 done, 1 failed, 2 wrong use.`;

const options = {
  server: { type: 'string' },
  token: { type: 'string' },
  user: { type: 'string' },
  name: { type: 'string' },
  description: { type: 'string' },
  zone: { type: 'string' },
  type: { type: 'string' },
  capability: { type: 'string', multiple: true },
  metadata: { type: 'string' },
  bus: { type: 'string' },
  port: { type: 'string' },
  out: { type: 'string', default: 'adaptor.properties' },
  skeleton: { type: 'string' },
  force: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** The flags are not valid. */
export class WrongUse extends Error {
  override readonly name = 'WrongUse';
}

/** The message of `parseArgs`; for an unknown option with the nearest one. */
const withNearest = (message: string): string => {
  const [, option] = /^Unknown option '(--?[^' ]*)/.exec(message) ?? [];
  const names = Object.keys(options).map((name) => `--${name}`);
  return option === undefined ? message : `there is no option ${option}${nearestTo(option, names)}`;
};

/**
 * @returns undefined when help is requested
 * @throws WrongUse
 */
export const readArguments = (
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): InitArguments | undefined => {
  const parse = () => parseArgs({ args: [...args], options, allowPositionals: true });
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse();
  } catch (error) {
    throw new WrongUse(withNearest(error instanceof Error ? error.message : String(error)));
  }
  const { values, positionals } = parsed;
  if (values.help) return undefined;
  if (positionals.length !== 1 || positionals[0] !== 'init')
    throw new WrongUse(
      positionals.length === 0
        ? 'the command "init" is missing'
        : `the command is "init", not "${positionals.join(' ')}"`,
    );
  if (values.port !== undefined && !/^\d{1,5}$/.test(values.port))
    throw new WrongUse(`--port ${values.port} is not a port`);
  try {
    return {
      server: values.server ?? environment['FDS_SERVER'],
      token: values.token ?? environment['FDS_TOKEN'],
      user: values.user ?? environment['FDS_USER'],
      password: environment['FDS_PASSWORD'],
      name: values.name,
      description: values.description,
      zone: values.zone ?? environment['FDS_ZONE'],
      type: values.type,
      capabilities: (values.capability ?? []).map(parseCapability),
      metadataFile: values.metadata,
      bus: values.bus,
      port: values.port,
      propertiesFile: values.out,
      skeleton: values.skeleton,
      force: values.force,
    };
  } catch (error) {
    if (error instanceof SetupFailure) throw new WrongUse(error.message);
    throw error;
  }
};
