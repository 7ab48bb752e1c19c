import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@fds/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'libsql';
import { openDoors, type Doors, type Resource } from '../doors/open-doors.js';
import { startAdaptorProcess } from '../harness/adaptor-process.js';
import { allActions, createAdaptor, createVersion, requireStatus } from '../harness/catalogue.js';
import { createLeftovers } from '../harness/leftovers.js';

type Row = Readonly<Record<string, string>>;
type Issue = Resource & { readonly drUuid: string | null; readonly matchStatus: string };

/** The events that an adaptor received, in order. */
interface Told {
  readonly action: string;
  readonly record: string;
  readonly json: Row;
}

/** An adaptor with two tables: the adaptor is a separate process, and the test acts as the users of its system. */
interface System {
  readonly uuid: string;
  write(row: Row): void;
  told(): readonly Told[];
}

const text = { type: 'string' } as const;

describe('two systems that know the same people by different names', () => {
  const leftovers = createLeftovers();
  let doors: Doors;

  beforeAll(async () => {
    doors = await openDoors(leftovers);
  }, 120_000);
  afterAll(() => leftovers.dispose(), 120_000);

  const startSystem = async (name: string, domain: string): Promise<System> => {
    const created = await createAdaptor(doors.dgs, doors.root, { name, capabilities: allActions(domain) });
    const folder = mkdtempSync(join(tmpdir(), 'fds-table-'));
    leftovers.add(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'system.db');
    const process = await startAdaptorProcess(leftovers, doors.service, created, {
      script: 'e2e/dist/programs/table-adaptor.js',
      environment: () => ({ TABLE_DATABASE: file, TABLE_DOMAIN: domain }),
    });
    await process.untilUp();
    const database = new Database(file);
    database.exec('PRAGMA busy_timeout = 5000');
    leftovers.add(() => void database.close());
    const insert = database.prepare('INSERT INTO report (json) VALUES (?)');
    const select = database.prepare('SELECT action, record, json FROM told ORDER BY rowid');
    return {
      uuid: created.uuid,
      write: (row) => void insert.run(JSON.stringify(row)),
      told: () =>
        (select.all() as { readonly action: string; readonly record: string; readonly json: string }[]).map((row) => ({
          ...row,
          json: JSON.parse(row.json) as Row,
        })),
    };
  };

  /** A data-store domain that identifies people by name, and asks a steward when names are similar but not equal. */
  const startSystems = async (domain: string, onReview: string): Promise<[System, System]> => {
    await createVersion(doors.dgs, {
      name: domain,
      domainType: 'SERVICE_DATA_STORE',
      properties: { name: text, born: text, town: text },
      drKeyProperties: ['name', 'born'],
      matchingAlgorithm: {
        type: 'SCORED',
        rules: [{ all: [{ property: 'born', comparator: 'EXACT' }] }],
        scores: [
          { property: 'name', comparator: 'NORMALIZED', weight: 0.5 },
          { property: 'name', comparator: 'FUZZY', maxEdits: 2, weight: 0.5 },
        ],
        thresholds: { match: 1, review: 0.5 },
        onReview,
      },
    });
    return [await startSystem(`office of ${domain}`, domain), await startSystem(`branch of ${domain}`, domain)];
  };

  const path = (system: System) => `/zones/${doors.root}/adaptors/${system.uuid}/issues`;
  const nextIssue = (system: System): Promise<Issue> =>
    eventually(async () => {
      const { body } = requireStatus(
        await doors.dgs.rest<{ readonly issues: readonly Issue[] }>('GET', `${path(system)}?filters=status:OPEN`),
        200,
      );
      expect(body.issues).toHaveLength(1);
      return body.issues[0] as Issue;
    });
  const settle = async (system: System, { uuid, changeVersion }: Issue, drUuid: string | null): Promise<Issue> =>
    requireStatus(
      await doors.dgs.rest<Issue>('PATCH', `${path(system)}/${uuid}`, {
        changeVersion,
        status: 'CLOSED',
        matchStatus: 'RESOLVED',
        drUuid,
      }),
      200,
    ).body;
  const told = (system: System, expected: readonly object[]): Promise<readonly Told[]> =>
    eventually(() => {
      expect(system.told()).toMatchObject(expected);
      return system.told();
    });
  const dataOf = async (drUuid: string): Promise<unknown> =>
    requireStatus(await doors.dgs.rest<{ readonly json: unknown }>('GET', `/drs/${drUuid}`), 200).body.json;

  it('create questions about ambiguous people, and continue when the questions are settled', async () => {
    const [office, branch] = await startSystems('member', 'HOLD');
    office.write({ name: 'Ann Moor', born: '1980-01-02', town: 'Bern' });
    const [first] = await told(branch, [{ action: 'POST', json: { name: 'Ann Moor', town: 'Bern' } }]);
    // the same person according to the algorithm
    branch.write({ name: 'ANN  MOOR', born: '1980-01-02', town: 'Berne' });
    await told(office, [{ action: 'PUT', record: first?.record, json: { town: 'Berne' } }]);

    branch.write({ name: 'Anne Moor', born: '1980-01-02', town: 'Basel' });
    branch.write({ name: 'Anne Moor', born: '1980-01-02', town: 'Biel' });
    const issues = await eventually(async () => {
      const { body } = requireStatus(
        await doors.dgs.rest<{ readonly issues: readonly Issue[] }>('GET', `${path(branch)}?sort=uuid`),
        200,
      );
      expect(body.issues).toMatchObject([{ matchStatus: 'AMBIGUOUS', waitingCount: 1 }]);
      return body.issues;
    });
    const [question] = issues as [Issue];
    const { body } = requireStatus(
      await doors.dgs.rest<{ readonly matches: readonly Resource[] }>(
        'GET',
        `${path(branch)}/${question.uuid}/matches`,
      ),
      200,
    );
    expect(body.matches).toMatchObject([{ drUuid: first?.record, score: 0.5 }]);
    const behind = await doors.dgs.rest<{ readonly dataEvents: readonly Resource[]; readonly _page: object }>(
      'GET',
      `${path(branch)}/${question.uuid}/waiting`,
    );
    expect(requireStatus(behind, 200).body).toMatchObject({
      dataEvents: [{ dataEvent: { json: { name: 'Anne Moor', town: 'Biel' } } }],
      _page: { totalElements: 1 },
    });
    // another person born on the same day: the event behind the question follows
    const settled = await settle(branch, question, null);
    expect(settled).toMatchObject({ status: 'CLOSED', matchStatus: 'RESOLVED' });
    await told(office, [
      { action: 'PUT', record: first?.record },
      { action: 'POST', record: settled.drUuid, json: { name: 'Anne Moor', town: 'Basel' } },
      // the system has not reported yet that it has the record
      { action: 'POST', record: settled.drUuid, json: { town: 'Biel' } },
    ]);
    expect(await dataOf(first?.record ?? '')).toMatchObject({ town: 'Berne' });
  });

  it('get the right records when the server assumed the wrong ones', async () => {
    const [office, branch] = await startSystems('patient', 'PRESUME_MATCH');
    office.write({ name: 'Bob Lind', born: '1970-05-05', town: 'Chur' });
    const [first] = await told(branch, [{ action: 'POST', json: { name: 'Bob Lind', town: 'Chur' } }]);
    const record = first?.record ?? '';
    branch.write({ name: 'Rob Lind', born: '1970-05-05', town: 'Zug' });
    await told(office, [{ action: 'PUT', record, json: { name: 'Rob Lind', town: 'Zug' } }]);
    const presumed = await nextIssue(branch);
    expect(presumed).toMatchObject({ exception: 'MATCHING', matchStatus: 'PRESUMED_MATCH', drUuid: record });

    const settled = await settle(branch, presumed, null);
    expect(settled).toMatchObject({ status: 'CLOSED', matchStatus: 'RESOLVED' });
    expect(settled.drUuid).not.toBe(record);
    await told(office, [
      { action: 'PUT', record, json: { name: 'Rob Lind', town: 'Zug' } },
      { action: 'PUT', record, json: { name: 'Bob Lind', town: 'Chur' } },
      { action: 'POST', record: settled.drUuid, json: { name: 'Rob Lind', town: 'Zug' } },
    ]);
    expect(await dataOf(record)).toEqual({ name: 'Bob Lind', born: '1970-05-05', town: 'Chur' });
    expect(await dataOf(settled.drUuid ?? '')).toEqual({ name: 'Rob Lind', born: '1970-05-05', town: 'Zug' });
    // from here on, the two records change separately
    branch.write({ name: 'Rob Lind', born: '1970-05-05', town: 'Thun' });
    await eventually(() =>
      expect(office.told().at(-1)).toMatchObject({ record: settled.drUuid, json: { town: 'Thun' } }),
    );
  });

  it('lose the record that was wrongly assumed to be new', async () => {
    const [office, branch] = await startSystems('guest', 'PRESUME_NEW');
    office.write({ name: 'Cleo Park', born: '1999-09-09', town: 'Uri' });
    const [first] = await told(branch, [{ action: 'POST', json: { name: 'Cleo Park' } }]);
    const record = first?.record ?? '';
    branch.write({ name: 'Clea Park', born: '1999-09-09', town: 'Wil' });
    const [, ...none] = await told(office, [{ action: 'POST', json: { name: 'Clea Park', town: 'Wil' } }]);
    expect(none).toEqual([]);
    const presumed = await nextIssue(branch);
    expect(presumed).toMatchObject({ matchStatus: 'PRESUMED_NEW' });
    const wrong = presumed.drUuid ?? '';

    expect(await settle(branch, presumed, record)).toMatchObject({ status: 'CLOSED', drUuid: record });
    await told(office, [
      { action: 'POST', record: wrong },
      { action: 'DELETE', record: wrong },
      { action: 'PUT', record, json: { town: 'Wil' } },
    ]);
    expect((await doors.dgs.rest('GET', `/drs/${wrong}`)).status).toBe(404);
    expect(await dataOf(record)).toMatchObject({ town: 'Wil' });
  });
});
