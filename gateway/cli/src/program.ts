import { Argument, Command, Option } from 'commander';
import { createCommandContext, type CommandContext } from './command-context.js';
import type { Shell } from './commands/completion.js';
import type { LoginOptions } from './commands/login.js';
import type { ApiOptions, GraphqlOptions } from './commands/requests.js';

const json = (): Option => new Option('--json', 'print JSON');

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

/** All commands of `fds`. The code of a command is loaded when it runs. */
export const createProgram = (version: string): Command => {
  const program = new Command('fds')
    .description('Work with a Federated Data Service.')
    .version(version)
    .option('--context <name>', 'use this sign-in instead of the current one')
    .showHelpAfterError('(fds help <command> shows the options)')
    .addHelpText(
      'after',
      '\nExit status: 0 done, 1 fault, 2 wrong use, 3 not signed in, 4 forbidden, 5 not found, 6 conflict.\nData goes to standard output, messages to standard error.',
    );
  const context = (): CommandContext => createCommandContext(program.opts<{ context?: string }>().context);

  program
    .command('login')
    .description('sign in with a browser, or with the id and secret of a client')
    .option('--url <address>', 'address of the service; default: that of the context')
    .option('--client-id <id>', 'client id of a service account')
    .option('--client-secret <secret>', 'its secret; other users of the computer may see it while the command runs')
    .option('--client-secret-stdin', 'read the secret from standard input')
    .option('--no-browser', 'print the address of the sign-in and open no browser')
    .action(async (options: LoginOptions) => (await import('./commands/login.js')).login(context(), options));

  program
    .command('logout')
    .description('end the sign-in, and forget it')
    .option('--local', 'forget it, and send the service nothing')
    .action(async (options: { local?: boolean }) => (await import('./commands/login.js')).logout(context(), options));

  program
    .command('whoami')
    .description('show who is signed in where, with zones and roles')
    .addOption(json())
    .action(async (options: { json?: boolean }) => (await import('./commands/identity.js')).whoami(context(), options));

  program
    .command('context')
    .description('list the sign-ins, or choose the current one')
    .argument('[name]', 'the context that commands use from now on')
    .addOption(json())
    .action(async (name: string | undefined, options: { json?: boolean }) =>
      (await import('./commands/identity.js')).useContext(context(), name, options),
    );

  program
    .command('api')
    .description('send a request to the REST API, and print the body of the answer')
    .addArgument(new Argument('<method>', 'GET, POST, PUT, PATCH, DELETE'))
    .argument('<path>', 'path below /api with its query, such as /zones?size=10')
    .option('-d, --data <body>', 'body: JSON, @file, or - for standard input')
    .option('-H, --header <line>', 'further header, such as "If-Match: 4"; may be repeated', collect, [])
    .action(async (method: string, path: string, options: ApiOptions) =>
      (await import('./commands/requests.js')).api(context(), method, path, options),
    );

  program
    .command('graphql')
    .description('run a GraphQL document, and print the answer')
    .argument('<file>', 'file with the document, or - for standard input')
    .option('-v, --variables <json>', 'variables: a JSON object, @file, or - for standard input')
    .option('-o, --operation <name>', 'the operation to run, of a document with several')
    .action(async (file: string, options: GraphqlOptions) =>
      (await import('./commands/requests.js')).graphql(context(), file, options),
    );

  program
    .command('completion')
    .description('print the completion script of a shell: source <(fds completion bash)')
    .addArgument(new Argument('[shell]', 'default: the shell of $SHELL').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: Shell | undefined) =>
      (await import('./commands/completion.js')).completion(context(), program, shell),
    );

  return program;
};
