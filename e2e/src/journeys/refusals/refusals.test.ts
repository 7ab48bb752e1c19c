import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { requireStatus } from '../../harness/catalogue.js';
import { createLeftovers } from '../../harness/leftovers.js';
import { smallFolderMissing } from '../../harness/small-folder.js';
import { openRefusalStage, type RefusalStage, type Walked, walkedDatabases } from './open-refusal-stage.js';
import { first, type Form, other, type Refusal, type RefusedEvent, refusedEvents } from './refusal-forms.js';
import type { DatabaseName, WalkedRow } from './walked-databases.js';

const forms = Object.keys(refusedEvents) as Form[];
const eventOf = (form: Form): RefusedEvent => refusedEvents[form];
const patience = { deadlineMs: 100_000, intervalMs: 1_000 };

/** The row after the event. */
const effectOf = (form: Form, { row }: Refusal): WalkedRow | undefined => {
  const { action, id, json } = eventOf(form);
  if (action === 'DELETE') return undefined;
  const before = action === 'PUT' ? first : { v: null, n: null };
  const { v, n } = { ...before, ...json, ...row };
  return { id, v, n };
};

/** The state of an event that a database refuses. */
interface Seen {
  readonly status: string | undefined;
  readonly issues: readonly string[];
  readonly row: WalkedRow | undefined;
}

describe('a database that refuses', () => {
  const leftovers = createLeftovers();
  let stage: RefusalStage;
  const records = new Map<Form, string>();
  const ends = new Map<string, () => Promise<void>>();

  const walkedOf = (name: DatabaseName): Walked => {
    const walked = stage.walked.get(name);
    if (walked === undefined) throw new Error(`no ${name}`);
    return walked;
  };
  const refusalsOf = (name: DatabaseName) => Object.entries(walkedOf(name).refusals) as [Form, Refusal][];
  const recordOf = (form: Form): string => records.get(form) ?? '';
  const rowOf = (name: DatabaseName, form: Form, id = eventOf(form).id) => walkedOf(name).database.row(form, id);
  const see = async (name: DatabaseName, form: Form, { hidden }: Refusal): Promise<Seen> => {
    const { adaptor } = walkedOf(name);
    const [status] = await stage.statuses(recordOf(form), adaptor.uuid);
    const issues = await stage.issues(adaptor.uuid, recordOf(form));
    return {
      status,
      issues: issues.filter((issue) => issue.status === 'OPEN').map(({ exception, title }) => `${exception}: ${title}`),
      // after the status, so that an event that is shown as done has its effect here
      row: hidden === true ? undefined : await rowOf(name, form),
    };
  };
  const publish = ({ action, id, json }: RefusedEvent, form: Form): Promise<void> => {
    const version = { domain: form, version: 1 };
    return stage.source.publish(
      action === 'DELETE' ? { action, ...version, drKey: { id } } : { action, ...version, json: { id, ...json } },
    );
  };
  const publishAll = async (event: (form: Form) => RefusedEvent): Promise<void> => {
    for (const form of forms) await publish(event(form), form);
  };
  const usual = ({ id, v, n }: typeof first | typeof other, form: Form): RefusedEvent => ({
    action: 'POST',
    id,
    json: eventOf(form).onlyN === true ? { n } : { v, n },
  });
  const recall = async (id: string): Promise<void> => {
    for (const form of forms) if (eventOf(form).id === id) records.set(form, await stage.record(form, id));
  };
  /** Looks at the forms of a database until each is as expected, and then once more at all of them. */
  const untilAll = async (
    name: DatabaseName,
    faultOf: (form: Form, refusal: Refusal) => Promise<unknown>,
  ): Promise<void> => {
    let open = refusalsOf(name);
    const look = async (): Promise<void> => {
      const faults = await Promise.all(
        open.map(async ([form, refusal]) => [form, (await faultOf(form, refusal)) ?? 'as expected'] as const),
      );
      const wrong = faults.filter(([, fault]) => fault !== 'as expected');
      open = open.filter(([form]) => wrong.some(([faulty]) => faulty === form));
      expect(wrong).toEqual([]);
    };
    await eventually(look, patience);
    open = refusalsOf(name);
    await look();
  };

  beforeAll(async () => {
    stage = await openRefusalStage(leftovers);
    await publishAll((form) => usual(first, form));
    for (const name of walkedDatabases)
      await untilAll(name, async (form) => ((await rowOf(name, form, 'first'))?.n === 1 ? undefined : 'has no row'));
    await recall('first');
    for (const name of walkedDatabases)
      for (const [form, { begin, end }] of refusalsOf(name)) {
        const { database } = walkedOf(name);
        ends.set(`${name} ${form}`, begin === undefined ? () => database.run(...(end ?? [])) : await begin(database));
      }
    await publishAll(eventOf);
    // more than the connections of an adaptor
    for (const form of ['locked_table', 'lost_connection'] as const)
      for (let number = 0; number < 12; number += 1)
        await publish({ action: 'POST', id: `more ${number}`, json: { v: 'bad', n: number } }, form);
    await publishAll((form) => usual(other, form));
    await recall('bad');
    await recall('FIRST');
  }, 600_000);
  afterAll(() => leftovers.dispose(), 120_000);

  it.each(walkedDatabases)(
    '%s: the row stays unchanged, the event fails or waits, and the others go on',
    async (name) => {
      const { process, adaptor } = walkedOf(name);
      await untilAll(name, async (form, refusal) => {
        const { answer, says = /./, hidden } = refusal;
        const seen = await see(name, form, refusal);
        const { id, action } = eventOf(form);
        const before = action === 'POST' ? undefined : { id: first.id, v: first.v, n: first.n };
        if (hidden !== true && JSON.stringify(seen.row) !== JSON.stringify(before)) return seen;
        if (answer === 'DATA') {
          const [title = ''] = seen.issues;
          const isRight = seen.status === 'FAILED' && title.startsWith('ADAPTOR: ') && says.test(title);
          const goesOn = id === 'other' || (await rowOf(name, form, 'other'))?.n === 2;
          return isRight && seen.issues.length === 1 && goesOn ? undefined : { ...seen, goesOn };
        }
        const reason = new RegExp(`${form}:1, table ${form}: .*${says.source}`);
        const isTold = reason.test(process.process().output());
        const waits = seen.status === 'QUEUED' || seen.status === 'DELIVERED';
        return waits && isTold && seen.issues.length === 0 ? undefined : { ...seen, isTold };
      });
      const path = `/zones/${stage.zone}/adaptors/${adaptor.uuid}`;
      const { body } = requireStatus(await stage.client.rest<{ stateMessage: string | null }>('GET', path), 200);
      expect(body.stateMessage).toMatch(/:1, table /);
    },
    patience.deadlineMs * 1.5,
  );

  it.each(walkedDatabases)(
    '%s: applies the event when the cause is gone',
    async (name) => {
      for (const [form] of refusalsOf(name)) await ends.get(`${name} ${form}`)?.();
      for (const [form, { answer }] of refusalsOf(name)) {
        if (answer !== 'DATA') continue;
        const open = (await stage.issues(walkedOf(name).adaptor.uuid, recordOf(form))).filter(
          ({ status }) => status === 'OPEN',
        );
        for (const issue of open) await stage.retry(issue);
      }
      await untilAll(name, async (form, refusal) => {
        const seen = await see(name, form, { ...refusal, hidden: false });
        const isDone = JSON.stringify(seen.row) === JSON.stringify(effectOf(form, refusal));
        return seen.status === 'APPLIED' && isDone && seen.issues.length === 0 ? undefined : seen;
      });
    },
    patience.deadlineMs * 1.5,
  );

  it.each(walkedDatabases.filter((name) => name !== 'SQLite' || smallFolderMissing === undefined))(
    '%s: waits while the whole database takes no writes, and then continues by itself',
    async (name) => {
      const { database, process, adaptor } = walkedOf(name);
      // its cause is gone
      const form = 'raised';
      expect(database.outages).not.toEqual([]);
      for (const [at, { name: outage, begin, says }] of database.outages.entries()) {
        const id = `${name} ${at}`;
        const written = process.process().output().length;
        const end = await begin();
        try {
          await publish({ action: 'POST', id, json: { v: 'fine', n: at } }, form);
          const record = await stage.record(form, id);
          await eventually(() => {
            const told = process.process().output().slice(written);
            expect([outage, new RegExp(`${form}:1, table ${form}: .*(${says.source})`, says.flags).test(told)]).toEqual(
              [outage, true],
            );
          }, patience);
          expect(await rowOf(name, form, id)).toBeUndefined();
          expect((await stage.statuses(record, adaptor.uuid))[0]).toMatch(/^(QUEUED|DELIVERED)$/);
          expect(await stage.issues(adaptor.uuid, record)).toEqual([]);
        } finally {
          await end();
        }
        await eventually(async () => expect(await rowOf(name, form, id)).toEqual({ id, v: 'fine', n: at }), patience);
        const record = await stage.record(form, id);
        await eventually(async () => expect((await stage.statuses(record, adaptor.uuid))[0]).toBe('APPLIED'), patience);
      }
    },
    patience.deadlineMs * 4,
  );

  if (smallFolderMissing !== undefined)
    it.skip(`SQLite: waits while its disk is full (skipped: ${smallFolderMissing})`, () => undefined);

  it('has deleted nothing in the source', () => {
    expect(stage.deletedAtSource.filter((record) => !record.startsWith('dropped_table'))).toEqual([]);
  });
});
