// fds-adaptor: sets an adaptor up, see docs/adaptors/create-an-adaptor.md.
import { init } from './init.js';
import { openPrompter } from './open-prompter.js';
import { readArguments, usage, WrongUse } from './read-arguments.js';

try {
  const given = readArguments(process.argv.slice(2), process.env);
  if (given === undefined) console.log(usage);
  else await init(given, openPrompter(), console.log);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  if (error instanceof WrongUse) console.error(`\n${usage}`);
  process.exitCode = error instanceof WrongUse ? 2 : 1;
}
