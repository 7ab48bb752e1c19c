import { stringifyJson } from '@fds/json';
import type { CommandContext } from '../command-context.js';
import { printRows } from '../print-rows.js';
import { Names, textOf, type Resource } from '@fds/rest-facade/configuration';

export interface IssuesOptions {
  readonly zone?: string;
  readonly adaptor?: string;
  readonly status: string;
  readonly json?: boolean;
}

const adaptorOf = (issue: Resource): string => textOf((issue['adaptor'] as Resource | null)?.['name']);

const versionOf = (issue: Resource): string => {
  const version = issue['domainVersion'] as Resource | null;
  if (version === null) return '';
  return `${textOf((version['domain'] as Resource | null)?.['name'])}:v${String(version['versionNumber'])}`;
};

/** `fds issues`: data issues, the newest first. */
export const issues = async (
  { hub, print }: CommandContext,
  { zone, adaptor, status, json }: IssuesOptions,
): Promise<void> => {
  const names = new Names(hub);
  const filters = status === 'ALL' ? [] : [`status:${status}`];
  let path = '/issues';
  if (adaptor !== undefined) {
    const { resource } = await names.thing('Adaptor', adaptor);
    path = `/zones/${textOf(resource['zoneUuid'])}/adaptors/${textOf(resource['uuid'])}/issues`;
  } else if (zone !== undefined) path = `/zones/${textOf((await names.zone(zone)).resource['uuid'])}/issues`;
  const all = await hub.list<Resource>(path, filters.length === 0 ? '' : `filters=${filters.join(',')}`);
  if (json === true) return print(stringifyJson(all, 2));
  printRows(
    print,
    ['ISSUE', 'STATUS', 'PRIORITY', 'EXCEPTION', 'ADAPTOR', 'VERSION', 'CREATED', 'TITLE'],
    all.map((issue) => [
      ...['uuid', 'status', 'issuePriority', 'exception'].map((member) => textOf(issue[member])),
      adaptorOf(issue),
      versionOf(issue),
      new Date(Number(issue['dateCreated'])).toISOString(),
      textOf(issue['title']),
    ]),
  );
};
