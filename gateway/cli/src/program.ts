import { Argument, Command, Option } from 'commander';
import { createCommandContext, type CommandContext } from './command-context.js';
import type { BackupOptions } from './commands/backup.js';
import type { ExportOptions, VerifyOptions } from './commands/audit.js';
import type { ApplyCommandOptions, PlanCommandOptions } from './commands/configuration.js';
import type { Shell } from './commands/completion.js';
import type { LoginOptions } from './commands/login.js';
import type { GetOptions } from './commands/get.js';
import type { GrantOptions, Recipe } from './commands/grant.js';
import type { IssuesOptions } from './commands/issues.js';
import type { ReconcileOptions } from './commands/reconcile.js';
import type { TailOptions } from './commands/tail.js';
import type { ApiOptions, GraphqlOptions } from './commands/requests.js';

const passphraseFile = (): Option => new Option('--passphrase-file <file>', 'read the passphrase from a file');
const passphraseStdin = (): Option => new Option('--passphrase-stdin', 'read the passphrase from standard input');
const passphraseNote = '\nWithout an option, the passphrase is $FDS_BACKUP_PASSPHRASE, or asked for on a terminal.';

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
    .command('get')
    .description('show resources of a kind, or one of them by its name')
    .argument(
      '<kind>',
      'Zone, AdaptorType, Domain, DomainVersion, Adaptor, Preferences, InboundAcls, OutboundAcls, OperationalAcls, Role, Group, User, DataAccessRules or Notification, in any case',
    )
    .argument('[name]', 'such as Root/Sales, Root/Sales/crm, customer:v1')
    .addOption(
      new Option('-o, --output <form>', 'form of the output').choices(['table', 'json', 'yaml']).default('table'),
    )
    .addOption(json())
    .action(async (kind: string, name: string | undefined, options: GetOptions) =>
      (await import('./commands/get.js')).get(context(), kind, name, options),
    );

  program
    .command('export')
    .description('write everything that you may read as documents of configuration')
    .option('-o, --output <dir>', 'folder for files; default: standard output')
    .action(async (options: { output?: string }) =>
      (await import('./commands/get.js')).exportDocuments(context(), options),
    );

  const documents = '-f, --file <path>';
  program
    .command('plan')
    .description('show the changes that documents would make: status 0 without a change, 2 with changes, 1 with faults')
    .requiredOption(documents, 'folder or file with documents')
    .option('--out <file>', 'keep the plan in a file, for fds apply -f <file>')
    .option('--prune', 'delete what the documents leave out below the zones and kinds that they name')
    .addOption(json())
    .action(async (options: PlanCommandOptions) =>
      (await import('./commands/configuration.js')).plan(context(), options),
    );

  program
    .command('apply')
    .description('make the service what documents say, in one transaction')
    .requiredOption(documents, 'folder or file with documents, or a file of fds plan --out')
    .option('--prune', 'delete what the documents leave out below the zones and kinds that they name')
    .option('--yes', 'do not ask')
    .addOption(json())
    .action(async (options: ApplyCommandOptions) =>
      (await import('./commands/configuration.js')).apply(context(), options),
    );

  program
    .command('drift')
    .description('tell whether the service differs from documents: status 0 same, 2 different, 1 faults')
    .requiredOption(documents, 'folder or file with documents')
    .option('--prune', 'resources that the documents leave out are differences, too')
    .addOption(json())
    .action(async (options: Omit<PlanCommandOptions, 'out'>) =>
      (await import('./commands/configuration.js')).drift(context(), options),
    );

  program
    .command('explain')
    .description('show the way of an event through the hub, with the reason of each decision')
    .argument('<id>', 'of a record, data event, transaction, issue, message, reconciliation or request')
    .addOption(json())
    .action(async (id: string, options: { json?: boolean }) =>
      (await import('./commands/explain.js')).explain(context(), id, options),
    );

  program
    .command('issues')
    .description('list data issues, the newest first')
    .option('--zone <path>', 'only those of a zone')
    .option('--adaptor <name>', 'only those of an adaptor, such as Root/Sales/crm')
    .addOption(
      new Option('--status <status>', 'status of the issues').choices(['OPEN', 'CLOSED', 'ALL']).default('OPEN'),
    )
    .addOption(json())
    .action(async (options: IssuesOptions) => (await import('./commands/issues.js')).issues(context(), options));

  program
    .command('tail')
    .description('print each change of a record that you may see, until it is interrupted')
    .option('--after <cursor>', 'begin behind this cursor of an earlier line')
    .option('--json', 'print one JSON object a line')
    .action(async (options: TailOptions) => (await import('./commands/tail.js')).tail(context(), options));

  const sides = ['KEEP', 'SEND'];
  program
    .command('reconcile')
    .description('compare an adaptor with the others, and with --send make them agree')
    .argument('<adaptor>', 'such as Root/Sales/crm')
    .option('--domain-version <name>', 'such as customer:v1; default: all that the adaptor is capable of')
    .option('--send', 'send values and records; without it, nothing is changed')
    .addOption(
      new Option('--values <side>', 'the side that gives its value where values differ')
        .choices(['KEEP', 'ADAPTOR', 'OTHERS', 'PREFERENCES', 'LATEST'])
        .default('KEEP'),
    )
    .addOption(new Option('--missing-here <what>', 'records that the adaptor lacks').choices(sides).default('KEEP'))
    .addOption(new Option('--missing-there <what>', 'records that others lack').choices(sides).default('KEEP'))
    .option('--no-wait', 'return when the work has begun')
    .addOption(json())
    .action(async (adaptor: string, options: ReconcileOptions) =>
      (await import('./commands/reconcile.js')).reconcile(context(), adaptor, options),
    );

  program
    .command('grant')
    .description('make a user a steward or reader of a zone, or create an application that reads')
    .addArgument(new Argument('<recipe>', 'access to give').choices(['steward', 'reader', 'app']))
    .argument('<zone>', 'such as Root/Sales')
    .argument('<name>', 'user name; an unknown one is created')
    .option('--password-stdin', 'read the password of a new person from standard input')
    .addOption(json())
    .action(async (recipe: Recipe, zone: string, name: string, options: GrantOptions) =>
      (await import('./commands/grant.js')).grant(context(), recipe, zone, name, options),
    );

  const audit = program.command('audit').description('export the change log, and verify that it is unchanged');
  audit
    .command('export')
    .description('write the change log as JSON lines, the oldest entry first')
    .option('-o, --output <file>', 'file; default: standard output')
    .option('--zone <path>', 'only the entries of a zone, such as Root/Sales')
    .option('--type <type>', 'only entries of this type, such as SignIn; may be repeated', collect, [])
    .option('--from <time>', 'such as 2026-01-31T12:00:00Z, inclusive')
    .option('--to <time>', 'exclusive')
    .option('--after <position>', 'only the entries behind this position')
    .action(async (options: ExportOptions) => (await import('./commands/audit.js')).exportChanges(context(), options));
  audit
    .command('proof')
    .description('write the pages of the chain of hashes as JSON lines')
    .option('-o, --output <file>', 'file; default: standard output')
    .action(async (options: { output?: string }) =>
      (await import('./commands/audit.js')).saveProof(context(), options),
    );
  audit
    .command('verify')
    .description('compute the chain again; exit status 1 when the change log was changed')
    .argument('[export]', 'file of fds audit export whose entries are compared too')
    .option('--proof <file>', 'file of fds audit proof; default: the service is asked')
    .option('--head <page:hash>', 'a hash that was noted earlier must still be that of the page')
    .addOption(json())
    .action(async (file: string | undefined, options: VerifyOptions) =>
      (await import('./commands/audit.js')).verifyLog(context(), file, options),
    );

  program
    .command('backup')
    .description('write everything that the hub knows into one file, sealed by a passphrase, while the hub works')
    .argument('<file>', 'file to write; an older one is replaced when the new one is complete')
    .addOption(passphraseFile())
    .addOption(passphraseStdin())
    .addOption(json())
    .addHelpText('after', passphraseNote)
    .action(async (file: string, options: BackupOptions) =>
      (await import('./commands/backup.js')).backup(context(), file, options),
    );

  program
    .command('restore')
    .description('put a backup into a hub that was never started: that of FDS_DATA_DIR or FDS_DATABASE_URL')
    .argument('<file>', 'file of fds backup')
    .addOption(passphraseFile())
    .addOption(passphraseStdin())
    .addOption(json())
    .addHelpText('after', passphraseNote)
    .action(async (file: string, options: BackupOptions) =>
      (await import('./commands/restore.js')).restore(context(), file, options),
    );

  program
    .command('doctor')
    .description('look for the usual faults of a deployment; exit status 1 when there are any')
    .addOption(json())
    .action(async (options: { json?: boolean }) =>
      (await import('./commands/doctor.js')).doctor(context(), { ...options, version }),
    );

  program
    .command('mcp')
    .description('serve the tools of /mcp to a program on standard input and output, with your sign-in')
    .action(async () => (await import('./commands/mcp.js')).mcp(context()));

  program
    .command('completion')
    .description('print the completion script of a shell: source <(fds completion bash)')
    .addArgument(new Argument('[shell]', 'default: the shell of $SHELL').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: Shell | undefined) =>
      (await import('./commands/completion.js')).completion(context(), program, shell),
    );

  return program;
};
