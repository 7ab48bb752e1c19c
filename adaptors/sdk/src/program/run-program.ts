import { parseArgs } from 'node:util';
import type { AdaptorConfiguration } from '../handlers.js';
import { adaptorPropertyTable } from '../properties/adaptor-properties.js';
import { type PropertyTable, propertySourcesOf } from '../properties/load-properties.js';
import { reasonOf } from '../reason-of.js';
import { loadConfiguration, NoConfiguration } from './load-configuration.js';
import { nearestTo } from './nearest.js';

/** A program that runs an adaptor. */
export interface AdaptorProgram {
  /** Name of its command. */
  readonly name: string;
  /** One sentence about the work of the adaptor. */
  readonly purpose: string;
  /** Its own properties. */
  readonly properties?: PropertyTable;
  /**
   * `--check`: checks a configuration and changes nothing. Returns the sentence that says that it is valid.
   *
   * @throws Error that names the faults
   */
  readonly check?: (configuration: AdaptorConfiguration) => Promise<string> | string;
  /** Runs the adaptor until it stops. */
  readonly run: () => Promise<void>;
}

const options = {
  config: { type: 'string' },
  check: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const usageOf = ({ name, check }: AdaptorProgram): string =>
  [
    `Usage: ${name} [options]`,
    '',
    '  --config FILE   properties file, instead of adaptor.properties in the working directory',
    ...(check === undefined
      ? []
      : ['  --check         checks the configuration and ends; does not disturb a running adaptor']),
    '  --help          prints this text',
  ].join('\n');

const linesOf = (table: PropertyTable): readonly string[] =>
  Object.values(table).map(({ name, variable, meaning, ...rest }) => {
    const { fallback } = rest;
    const isPlain = ['string', 'number', 'boolean'].includes(typeof fallback);
    const more = isPlain ? ` (default ${String(fallback)})` : 'fallback' in rest ? '' : ' (required)';
    return `  ${name === undefined ? variable : `${name}, ${variable}`}: ${meaning}${more}`;
  });

const helpOf = (program: AdaptorProgram): string =>
  [
    program.purpose,
    '',
    usageOf(program),
    '',
    'Properties, in the properties file or as environment variables (the environment wins):',
    '',
    ...linesOf({ ...adaptorPropertyTable, ...program.properties }),
    '',
    `Exit codes: 0 stopped${program.check === undefined ? '' : ' or valid'}, 1 could not start, 2 wrong use${program.check === undefined ? '' : ' or not valid, 3 no configuration from the server'}, 4 another process has taken over.`,
  ].join('\n');

/** The fault of the arguments; undefined when they are valid. */
const faultOf = (program: AdaptorProgram, args: readonly string[]): string | undefined => {
  const known = Object.keys(options).filter((option) => option !== 'check' || program.check !== undefined);
  const names = known.map((option) => `--${option}`);
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true, allowPositionals: true });
  for (const token of tokens) {
    if (token.kind === 'positional') return `${JSON.stringify(token.value)} is not an option`;
    if (token.kind === 'option' && !known.includes(token.name))
      return `there is no option ${token.rawName}${nearestTo(token.rawName, names)}`;
    if (token.kind === 'option' && token.name === 'config' && (token.value ?? '') === '')
      return '--config names no file';
    if (token.kind === 'option' && token.name !== 'config' && token.value !== undefined)
      return `${token.rawName} takes no value`;
  }
  return undefined;
};

const check = async (configured: NonNullable<AdaptorProgram['check']>): Promise<0 | 1 | 2 | 3> => {
  try {
    const sources = propertySourcesOf(process);
    console.log(await configured(await loadConfiguration(sources)));
    return 0;
  } catch (error) {
    console.error(reasonOf(error));
    if (error instanceof NoConfiguration) return 3;
    return error instanceof Error && error.name === 'PropertyFault' ? 1 : 2;
  }
};

/**
 * Runs the program of an adaptor as its arguments say: `--help` prints the usage and all properties, `--check` checks the
 * configuration that the server has, and without them the adaptor runs. An unknown option is refused with the nearest
 * name. Sets the exit code.
 */
export const runProgram = async (program: AdaptorProgram, args = process.argv.slice(2)): Promise<void> => {
  const fault = faultOf(program, args);
  if (fault !== undefined) {
    console.error(`${fault}\n\n${usageOf(program)}`);
    process.exitCode = 2;
    return;
  }
  const { values } = parseArgs({ args: [...args], options });
  if (values.help) {
    console.log(helpOf(program));
    return;
  }
  if (values.check && program.check !== undefined) {
    // the handles of a source that does not answer must not keep the process
    process.exit(await check(program.check));
  }
  try {
    await program.run();
  } catch (error) {
    console.error(reasonOf(error));
    process.exitCode = 1;
  }
};
