import { stringifyJson } from '@fds/json';
import type { CommandContext } from '../command-context.js';
import { plainText, printRows } from '../print-rows.js';
import { textOf, type Resource } from '@fds/rest-facade/configuration';

/** The members of an explanation that the text shows. */
interface Explanation {
  readonly summary: string;
  readonly hidden: boolean;
  readonly events: readonly (Resource & {
    readonly steps: readonly (Resource & { readonly at: number })[];
    readonly destinations: readonly Resource[];
  })[];
  readonly related: readonly Resource[];
}

const indented =
  (print: (line: string) => void) =>
  (line: string): void =>
    print(`  ${line}`);

/** `fds explain <id>`: the way of an event through the hub, with the reason of each decision. */
export const explain = async (
  { hub, print }: CommandContext,
  id: string,
  { json }: { readonly json?: boolean },
): Promise<void> => {
  const explanation = await hub.read<Explanation>(`/explain/${encodeURIComponent(id)}`);
  if (json === true) return print(stringifyJson(explanation, 2));
  print(plainText(explanation.summary));
  for (const event of explanation.events) {
    const { steps, destinations, drKey, hidden } = event;
    const version = `${textOf(event['domain'])}:v${stringifyJson(event['version'])}`;
    const key = drKey === null || drKey === undefined ? '' : ` ${stringifyJson(drKey)}`;
    print('');
    print(plainText(`${textOf(event['action'])} ${version}${key}, event ${textOf(event['uuid']) || 'none'}`));
    printRows(
      indented(print),
      ['TIME', 'STAGE', 'STEP'],
      steps.map((step) => [new Date(step.at).toISOString(), textOf(step['stage']), textOf(step['text'])]),
    );
    printRows(
      indented(print),
      ['ADAPTOR', 'STATUS', 'REASON', 'DESTINATION'],
      destinations.map((each) => ['name', 'status', 'reason', 'text'].map((member) => textOf(each[member]))),
    );
    if (hidden === true) print('  You may not see all of it.');
  }
  if (explanation.related.length > 0) print('');
  printRows(
    print,
    ['RELATED', 'ID', 'WHY'],
    explanation.related.map((each) => ['kind', 'id', 'why'].map((member) => textOf(each[member]))),
  );
  if (explanation.hidden) print('You may not see all of it.');
};
