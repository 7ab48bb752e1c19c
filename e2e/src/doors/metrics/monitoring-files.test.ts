import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createAdaptor } from '../../harness/catalogue.js';
import { promtool, promtoolMissing } from '../../harness/promtool.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import { setUpDoors } from '../set-up-doors.js';
import { metricsText, seriesOf } from './read-metrics.js';

const folder = new URL('../../../../docs/operations/monitoring/', import.meta.url);
const pathOf = (name: string): string => fileURLToPath(new URL(name, folder));
const read = (name: string): string => readFileSync(pathOf(name), 'utf8');
const why = promtoolMissing === undefined ? '' : ` (skipped: ${promtoolMissing})`;

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
}

/** The metrics that an expression names. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:fds|http|nodejs|process)_[a-z0-9_]+/g)].map(([name]) =>
    name.replace(/_(?:bucket|sum|count)$/, ''),
  );

const expressionsOfRules = (): string[] =>
  read('alerts.yml')
    .split(/^ {6}- alert: /m)
    .slice(1);
const expressionsOfDashboard = (): string[] =>
  (JSON.parse(read('dashboard.json')) as Dashboard).panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) => expr),
  );

describe('the alert rules and the dashboard', () => {
  const { doors, leftovers } = setUpDoors();
  let shown: string;

  beforeAll(async () => {
    const { dgs, root, service } = doors;
    const adaptor = await startSourceAdaptor(
      leftovers,
      service,
      await createAdaptor(dgs, root, { name: 'any', capabilities: [] }),
      {},
    );
    adaptor.caughtUp('a source');
    await adaptor.reportError({ level: 'ERROR', kind: 'CONFIGURATION', message: 'an error' });
    const answer = await fetch(`http://localhost:${adaptor.healthPort}/metrics`);
    shown = `${await metricsText(service)}\n${await answer.text()}`;
  }, 60_000);

  it('name metrics that the service or its adaptors have', () => {
    const declared = new Set([...shown.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    // a metric that exists for some deployments only has a series where it is known
    expect(seriesOf(shown).length).toBeGreaterThan(100);
    const named = [...expressionsOfRules(), ...expressionsOfDashboard()].flatMap(namesIn);
    expect(named.length).toBeGreaterThan(40);
    expect([...new Set(named)].filter((name) => !declared.has(name))).toEqual([]);
  });

  it('have a page with every metric of the service itself and of its adaptors', () => {
    const own = [...shown.matchAll(/^# TYPE ((?:fds|http)_\S+)/gm)].map(([, name = '']) => name);
    const page = read('README.md');
    expect(own.filter((name) => !page.includes(`\`${name}`))).toEqual([]);
  });

  it('have a part of the page for each alert', () => {
    const alerts = [...read('alerts.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    const parts = [...read('README.md').matchAll(/^### (Fds\w+)$/gm)].map(([, name]) => name);
    expect(parts).toEqual(alerts);
  });

  (promtoolMissing === undefined ? it : it.skip)(`are in order for promtool${why}`, () => {
    expect(promtool(['check', 'rules', pathOf('alerts.yml')])).toBe('');
  });
});
