import { CommanderError, type Command } from 'commander';
import { exitStatus, statusOf } from './failure.js';
import { createProgram } from './program.js';

/** Set by the bundle: gateway/bin/bundle.mjs */
declare const cliVersion: string;

/** Users see the message of a fault, never the place in our code. */
const report = (error: unknown): void => {
  process.stderr.write(`fds: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = statusOf(error);
};

// the reader of a pipe may end first, as `head` does
const endWithReader = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EPIPE') report(error);
  process.exit();
};
process.stdout.on('error', endWithReader);
process.stderr.on('error', () => process.exit());
process.on('uncaughtException', (error) => {
  report(error);
  process.exit();
});

const commandsBelow = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(commandsBelow)];

const program = createProgram(cliVersion);
for (const command of commandsBelow(program)) command.exitOverride();

try {
  await program.parseAsync();
} catch (error) {
  // commander has printed help, version or the fault
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? exitStatus.done : exitStatus.usage;
  else report(error);
}
