import { stringifyJson } from '@fds/json';
import type { CommandContext } from '../command-context.js';
import { exitStatus, Failure } from '../failure.js';
import { printRows } from '../print-rows.js';
import { eachOf, Names, textOf, type Named, type Resource } from '@fds/rest-facade/configuration';
import { send } from '../tokens.js';

/** The outcome of one check. A check that the user may not make is skipped. */
interface Outcome {
  readonly check: string;
  readonly status: 'OK' | 'FINDING' | 'SKIPPED';
  readonly detail: string;
}

const ok = (check: string, detail: string): Outcome => ({ check, status: 'OK', detail });
const finding = (check: string, detail: string): Outcome => ({ check, status: 'FINDING', detail });

const oldQueueMs = 5 * 60_000;
const maxClockMs = 60_000;
/** States in which data events do not flow, although no person paused the adaptor. */
const downStates: ReadonlySet<unknown> = new Set(['DOWN', 'DOWN_PAUSED', 'ERROR']);

const minutes = (ms: number): string => `${Math.floor(ms / 60_000)} minutes`;

const checkAddress = async (url: string): Promise<readonly Outcome[]> => {
  const answer = await send(`${url}/health`);
  const text = await answer.text();
  const date = Date.parse(answer.headers.get('date') ?? '');
  const clock = Number.isNaN(date) ? 0 : Math.abs(Date.now() - date);
  let health: { readonly status?: unknown; readonly checks?: Readonly<Record<string, unknown>> };
  try {
    health = JSON.parse(text) as typeof health;
  } catch {
    return [finding('address', `${url} is not the address of a Federated Data Service`)];
  }
  const down = Object.entries(health.checks ?? {}).filter(([, state]) => state !== 'UP');
  return [
    answer.ok && down.length === 0
      ? ok('address', `${url} is up`)
      : finding(
          'address',
          `${url} is not ready: ${down.map(([name, state]) => `${name} ${stringifyJson(state)}`).join(', ') || `status ${answer.status}`}`,
        ),
    clock > maxClockMs
      ? finding('clock', `the clocks of this computer and of the service differ by ${Math.round(clock / 1000)} seconds`)
      : ok('clock', 'the clocks agree'),
  ];
};

const checkToken = async ({ hub }: CommandContext): Promise<readonly Outcome[]> => {
  const token = await hub.read<Resource>('/token');
  const zones = (token['zones'] ?? []) as readonly unknown[];
  const who = textOf(token['username']) || textOf(token['sub']);
  return [zones.length === 0 ? finding('token', `${who} belongs to no zone`) : ok('token', `signed in as ${who}`)];
};

/** The version of the API that the commands use. */
const apiVersion = '1';

const checkVersion = async ({ hub }: CommandContext, own: string): Promise<readonly Outcome[]> => {
  const document = await hub.read<{ readonly info: { readonly version: string } }>('/openapi.json');
  const { version } = document.info;
  return [
    version === apiVersion
      ? ok('version', `the API has version ${version}, this command line is ${own}`)
      : finding('version', `the API has version ${version}, this command line (${own}) needs ${apiVersion}`),
  ];
};

const checkAdaptor = async ({ hub }: CommandContext, { name, resource }: Named): Promise<readonly Outcome[]> => {
  const message = textOf(resource['stateMessage']);
  const outcomes: Outcome[] = [];
  if (downStates.has(resource['state']) || message !== '')
    outcomes.push(finding('adaptor', `${name} is ${textOf(resource['state'])}${message === '' ? '' : `: ${message}`}`));
  const path = `/zones/${textOf(resource['zoneUuid'])}/adaptors/${textOf(resource['uuid'])}/queue`;
  const { oldestMessageDate, messageCount } = await hub.read<Resource>(path);
  const age = typeof oldestMessageDate === 'number' ? Date.now() - oldestMessageDate : 0;
  if (age > oldQueueMs)
    outcomes.push(
      finding('queue', `${String(messageCount)} messages wait for ${name}, the oldest for ${minutes(age)}`),
    );
  return outcomes;
};

const checkAdaptors = async (context: CommandContext): Promise<readonly Outcome[]> => {
  const adaptors = (await new Names(context.hub).things('Adaptor')).filter(
    ({ resource }) => resource['active'] === true,
  );
  const outcomes = (await eachOf(adaptors, (adaptor) => checkAdaptor(context, adaptor))).flat();
  return outcomes.length > 0 ? outcomes : [ok('adaptors', `${adaptors.length} adaptors work`)];
};

const checkIssues = async ({ hub }: CommandContext): Promise<readonly Outcome[]> => {
  const counts = await hub.read<Resource>('/issues/counts?filters=status:OPEN');
  const groups = (counts['groups'] ?? []) as readonly Resource[];
  if (groups.length === 0) return [ok('issues', 'no open data issue')];
  return groups.map((group) => {
    const adaptor = textOf((group['adaptor'] as Resource | null)?.['name']);
    const about = ['cause', 'code', 'property'].map((member) => textOf(group[member])).filter((text) => text !== '');
    return finding(
      'issues',
      `${String(group['openCount'])} open of ${adaptor || 'an unknown adaptor'}: ${about.join(' ')} (fds explain ${textOf(group['example'])})`,
    );
  });
};

/** `fds doctor`: looks for the usual faults of a deployment. Each check reports its findings, also when others fail. */
export const doctor = async (
  context: CommandContext,
  { json, version }: { readonly json?: boolean; readonly version: string },
): Promise<void> => {
  const url = await context.hub.address();
  const checks: readonly (readonly [string, () => Promise<readonly Outcome[]>])[] = [
    ['address', () => checkAddress(url)],
    ['token', () => checkToken(context)],
    ['version', () => checkVersion(context, version)],
    ['adaptors', () => checkAdaptors(context)],
    ['issues', () => checkIssues(context)],
  ];
  const outcomes: Outcome[] = [];
  for (const [check, run] of checks) {
    try {
      outcomes.push(...(await run()));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const status = error.status === exitStatus.forbidden ? 'SKIPPED' : 'FINDING';
      outcomes.push({ check, status, detail: error.message });
      // without an address or a token, no other check can say more
      if (check === 'address' || check === 'token') break;
    }
  }
  if (json === true) context.print(stringifyJson(outcomes, 2));
  else
    printRows(
      context.print,
      ['CHECK', 'STATUS', 'DETAIL'],
      outcomes.map(({ check, status, detail }) => [check, status, detail]),
    );
  const findings = outcomes.filter(({ status }) => status === 'FINDING').length;
  if (findings > 0) throw new Failure(exitStatus.fault, `${findings} findings`);
};
