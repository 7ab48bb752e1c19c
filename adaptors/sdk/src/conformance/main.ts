// fds-adaptor-conformance: checks an adaptor in any language against the contract of the bus.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isJsonObject, parseJson } from '@fds/adaptor-protocol';
import { nearestTo } from '../program/nearest.js';
import { type CheckResult, conformanceChecks, conforms, runConformance } from './run-conformance.js';

const usage = `fds-adaptor-conformance --command COMMAND [options]

  --command COMMAND    starts the adaptor; it is configured by the environment: ADAPTOR_UUID, CLIENT_ID, CLIENT_SECRET,
                       MESSAGE_BUS_URL, AUTH_SERVER_URL, HOSTNAME, PORT, DATA_DIRECTORY; its working directory is RECORD_FOLDER
  --change COMMAND     changes the record RECORD_ID of its source: RECORD_PROPERTY becomes RECORD_VALUE
  --refuse COMMAND     makes the source refuse every later write of the record RECORD_ID
  --away COMMAND       puts the source out of the adaptor's reach    --back COMMAND   puts it back
  --read COMMAND       prints the record RECORD_ID as a JSON object, nothing or null when there is none, for an adaptor that
                       answers no assembly requests
  --domain NAME        default customer        --version NUMBER    default 1
  --key NAME           default id              --property NAME     default name
  --nullable NAME      default note            --metadata FILE     JSON of the START; \${FOLDER} is the working directory
  --model FILE         JSON {modelSchema, drKeyProperties, event?} of the domain version, where the adaptor demands its own;
                       event is the record of an event with \${ID}, \${FOLDER}, \${PROPERTY}, \${NULLABLE} in its texts
  --no-records         the adaptor keeps no records: the checks do not read them or wait for links
  --only ID,ID         some checks             --list              names the checks
  --patience MS        default 10000           --concurrency N     default 2
  --json               the report as JSON

Exit codes: 0 conforms, 1 a MUST failed, 2 wrong use.`;

const marks = { PASSED: 'ok  ', FAILED: 'FAIL', SKIPPED: 'skip' } as const;

const lineOf = ({ id, clause, level, sentence, outcome, reason, milliseconds }: CheckResult): string =>
  `${marks[outcome]} ${id} (${level}, ${clause}): ${sentence} [${milliseconds} ms]${reason === undefined ? '' : `\n     ${reason.trimEnd().replaceAll('\n', '\n     ')}`}`;

const options = {
  command: { type: 'string' },
  change: { type: 'string' },
  refuse: { type: 'string' },
  away: { type: 'string' },
  back: { type: 'string' },
  read: { type: 'string' },
  domain: { type: 'string' },
  version: { type: 'string' },
  key: { type: 'string' },
  property: { type: 'string' },
  nullable: { type: 'string' },
  metadata: { type: 'string' },
  model: { type: 'string' },
  'no-records': { type: 'boolean' },
  only: { type: 'string' },
  patience: { type: 'string' },
  concurrency: { type: 'string' },
  json: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

const names = Object.keys(options).map((name) => `--${name}`);

const numberOf = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new TypeError(`--${name} ${text} is not a number`);
  return Number(text);
};

const readObject = (option: string, file: string) => {
  const value = parseJson(readFileSync(file, 'utf8'));
  if (!isJsonObject(value)) throw new TypeError(`--${option} ${file} is not a JSON object`);
  return value;
};

const readModel = (file: string) => {
  const { modelSchema, drKeyProperties, event } = readObject('model', file);
  const isKey = Array.isArray(drKeyProperties) && drKeyProperties.every((name) => typeof name === 'string');
  if (!isJsonObject(modelSchema) || !isKey)
    throw new TypeError(`--model ${file} needs the object modelSchema and the list drKeyProperties`);
  if (event !== undefined && !isJsonObject(event)) throw new TypeError(`--model ${file}: event is not an object`);
  return { modelSchema, drKeyProperties, ...(event === undefined ? {} : { event }) };
};

/** Removes the members that are undefined. */
const given = <T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

const readRun = () => {
  const { tokens } = parseArgs({ options, strict: false, tokens: true });
  for (const token of tokens)
    if (token.kind === 'option' && !Object.hasOwn(options, token.name))
      throw new TypeError(`there is no option ${token.rawName}${nearestTo(token.rawName, names)}`);
  const { values } = parseArgs({ options });
  if (values.help || values.list) return { values, run: undefined };
  if (values.command === undefined) throw new TypeError('--command is missing');
  const only = values.only?.split(',');
  const unknown = only?.filter((id) => !conformanceChecks.some((check) => check.id === id)) ?? [];
  if (unknown.length > 0) throw new TypeError(`--only: there is no check ${unknown.join(', ')}; --list names them`);
  const run = {
    command: values.command,
    ...given({
      changeCommand: values.change,
      refuseCommand: values.refuse,
      awayCommand: values.away,
      backCommand: values.back,
      readCommand: values.read,
      domain: values.domain,
      version: numberOf('version', values.version),
      key: values.key,
      property: values.property,
      nullable: values.nullable,
      metadata: values.metadata === undefined ? undefined : readObject('metadata', values.metadata),
      model: values.model === undefined ? undefined : readModel(values.model),
      keepsNoRecords: values['no-records'],
      only,
      patienceMs: numberOf('patience', values.patience),
      concurrency: numberOf('concurrency', values.concurrency),
    }),
  };
  return { values, run };
};

const main = async (): Promise<number> => {
  const { values, run } = readRun();
  if (run === undefined) {
    const list = conformanceChecks.map(({ id, level, clause, sentence }) => `${id} (${level}, ${clause}): ${sentence}`);
    console.log(values.list ? list.join('\n') : usage);
    return 0;
  }
  const results = await runConformance(
    values.json ? run : { ...run, onResult: (result) => console.log(lineOf(result)) },
  );
  const count = (outcome: CheckResult['outcome']): number => results.filter((one) => one.outcome === outcome).length;
  if (values.json) console.log(JSON.stringify({ conforms: conforms(results), results }, undefined, 2));
  else console.log(`${count('PASSED')} passed, ${count('FAILED')} failed, ${count('SKIPPED')} skipped`);
  return conforms(results) ? 0 : 1;
};

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  process.exitCode = 2;
}
