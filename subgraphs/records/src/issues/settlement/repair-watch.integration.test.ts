import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AdaptorError } from '@fds/adaptor-protocol';
import { eventually } from '@fds/testing';
import { v7 as newUuid } from 'uuid';
import type { BusAdaptor } from '../../testing/bus-adaptor.js';
import { findScans } from '../../testing/find-scans.js';
import { openRecordsWorld, type RecordsWorld } from '../../testing/open-records-world.js';
import { createAdaptorErrorTaker } from './create-adaptor-error-taker.js';

const domain = 'Repaired';
let world: RecordsWorld;
let source: BusAdaptor;
let destination: BusAdaptor;

beforeAll(async () => {
  world = await openRecordsWorld();
  await world.seed.addVersion({
    domainName: domain,
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' }, name: { type: 'string' }, note: { type: 'string' } },
    drKeyProperties: ['id'],
  });
  source = await world.connect('source', domain);
  destination = await world.connect('destination', domain);
});
afterAll(() => world?.close());

const report = async (adaptor: BusAdaptor, error: Partial<AdaptorError>): Promise<void> => {
  const take = createAdaptorErrorTaker({ database: world.database });
  await take(
    adaptor.uuid,
    { level: 'ERROR', kind: 'DATA', message: 'refused', ...error },
    { id: newUuid(), time: new Date() },
  );
};

const issuesOf = (adaptor: BusAdaptor) =>
  world.database.prisma.dataIssue.findMany({ where: { adaptorUuid: adaptor.uuid }, orderBy: { uuid: 'asc' } });

const lastIssue = async (adaptor: BusAdaptor) => (await issuesOf(adaptor)).at(-1);

/** Sends an event of the source and waits for it at the destination. @returns the number of the message there */
const send = async (json: Record<string, string | number>): Promise<{ sequence: number; drUuid: string }> => {
  const before = destination.applied.length;
  source.send({ action: 'PUT', json });
  const message = await eventually(() => {
    const next = destination.applied[before];
    return next ?? Promise.reject(new Error('not applied'));
  });
  return { sequence: message.sequence, drUuid: message.event.drUuid };
};

describe('the issue of a message that a destination refused', () => {
  it('is closed when a later message was applied that carries the failed properties, and not before', async () => {
    await send({ id: 1, name: 'a', note: 'n' });
    const { sequence } = await send({ id: 1, name: 'too long' });
    await report(destination, { sequence, properties: ['name'] });
    await send({ id: 1, note: 'other' });
    // the watch has passed it: an issue that was reported later is closed
    const second = await send({ id: 2, name: 'a' });
    await report(destination, { sequence: second.sequence, properties: ['name'] });
    await send({ id: 2, name: 'b' });
    await eventually(async () => expect((await lastIssue(destination))?.status).toBe('CLOSED'));
    expect((await issuesOf(destination))[0]?.status).toBe('OPEN');
    await send({ id: 1, name: 'short' });
    await eventually(async () => expect((await issuesOf(destination))[0]?.status).toBe('CLOSED'));
    const [first] = await issuesOf(destination);
    expect(first?.description).toMatch(/^The adaptor has applied a later message of the record \(transaction .+\)\.$/);
    const entries = await world.database.prisma.changeLogEntry.findMany({ where: { resourceUuid: first?.uuid ?? '' } });
    expect(entries.map(({ action }) => action)).toEqual(['POST', 'PUT']);
  });

  it('takes the properties that were new in the message where the adaptor names none', async () => {
    const { drUuid } = await send({ id: 3, name: 'a', note: 'n' });
    destination.sendLinks({ drUuid, domain, version: 1, action: 'LINK' });
    await eventually(() => expect(destination.acknowledged).toBe(1));
    const { sequence } = await send({ id: 3, name: 'b', note: 'n' });
    await report(destination, { sequence });
    await send({ id: 3, name: 'c' });
    await eventually(async () => expect((await lastIssue(destination))?.status).toBe('CLOSED'));
  });

  it('stays open after a message that carries the values and does not name them as changed', async () => {
    const { drUuid } = await send({ id: 5, name: 'a', note: 'n' });
    destination.sendLinks({ drUuid, domain, version: 1, action: 'LINK' });
    const linked = destination.acknowledged + 1;
    await eventually(() => expect(destination.acknowledged).toBe(linked));
    const { sequence } = await send({ id: 5, name: 'refused', note: 'n' });
    // queued and applied before the server learns that the message is refused
    await send({ id: 5, name: 'refused', note: 'o' });
    expect(destination.applied.at(-1)?.event.changed).toEqual(['note']);
    await report(destination, { sequence });
    const opened = await lastIssue(destination);
    // the watch has passed it: an issue that was reported later is closed
    const second = await send({ id: 6, name: 'a' });
    await report(destination, { sequence: second.sequence });
    await send({ id: 6, name: 'b' });
    await eventually(async () => expect((await lastIssue(destination))?.status).toBe('CLOSED'));
    const statusOf = async () => (await issuesOf(destination)).find(({ uuid }) => uuid === opened?.uuid)?.status;
    expect(await statusOf()).toBe('OPEN');
    await send({ id: 5, name: 'refused', note: 'p' });
    expect(destination.applied.at(-1)?.event.changed).toEqual(expect.arrayContaining(['name', 'note']));
    await eventually(async () => expect(await statusOf()).toBe('CLOSED'));
  });

  it('is closed when the destination reports the record itself', async () => {
    const { sequence } = await send({ id: 4, name: 'a' });
    await report(destination, { sequence });
    const transactionUuid = newUuid();
    destination.send({ action: 'PUT', json: { id: 4, name: 'by hand' }, transactionUuid });
    await eventually(async () => expect((await lastIssue(destination))?.status).toBe('CLOSED'));
    expect((await lastIssue(destination))?.description).toBe(
      `The adaptor has reported the record since (transaction ${transactionUuid}).`,
    );
  });
});

describe('the issue of a message whose value a person sets by hand at the destination', () => {
  const echo = async (json: Record<string, string | number>): Promise<void> => {
    const before = destination.acknowledged;
    destination.send({ action: 'PUT', json });
    await eventually(() => expect(destination.acknowledged).toBe(before + 1));
  };

  it('is closed by the report of exactly this value, and not by one of the former value', async () => {
    await send({ id: 21, name: 'a', note: 'n' });
    await echo({ id: 21, name: 'a', note: 'n' });
    const { sequence } = await send({ id: 21, name: 'refused' });
    await report(destination, { sequence, properties: ['name'] });
    await echo({ id: 21, name: 'a', note: 'n' });
    await echo({ id: 21, note: 'n' });
    // the watch has passed it: an issue that was reported later is closed
    const second = await send({ id: 22, name: 'a' });
    await report(destination, { sequence: second.sequence, properties: ['name'] });
    await send({ id: 22, name: 'b' });
    await eventually(async () => expect((await lastIssue(destination))?.status).toBe('CLOSED'));
    const ofMessage = async () => (await issuesOf(destination)).at(-2);
    expect((await ofMessage())?.status).toBe('OPEN');
    await echo({ id: 21, name: 'refused' });
    await eventually(async () => expect((await ofMessage())?.status).toBe('CLOSED'));
  });
});

describe('the issue of a row that an adaptor could not read', () => {
  it('names the row by its key, and is closed by the next event of the row', async () => {
    await report(source, { domain, version: 1, drKey: { id: 11 } });
    const issue = await lastIssue(source);
    expect([issue?.status, issue?.keyDigest, issue?.recordUuid]).toEqual(['OPEN', null, null]);
    expect(JSON.parse(issue?.dataEvent ?? '')).toEqual({ domain, version: 1, drKey: { id: 11 } });
    await report(source, { domain, version: 1, drKey: { id: 12 } });
    await send({ id: 11, name: 'readable' });
    await eventually(async () =>
      expect((await issuesOf(source)).map(({ status }) => status)).toEqual(['CLOSED', 'OPEN']),
    );
    await send({ id: 12, name: 'readable' });
    await eventually(async () => expect((await lastIssue(source))?.status).toBe('CLOSED'));
  });

  it('is closed by a deletion of the row too, and by an event of the record that it names', async () => {
    const { drUuid } = await send({ id: 13, name: 'a' });
    await report(source, { domain, version: 1, drKey: { id: 13 } });
    expect((await lastIssue(source))?.recordUuid).toBe(drUuid);
    source.send({ action: 'DELETE', drKey: { id: 13 } });
    await eventually(async () => expect((await lastIssue(source))?.status).toBe('CLOSED'));
    const named = await send({ id: 14, name: 'a' });
    await report(source, { drUuid: named.drUuid });
    await send({ id: 14, name: 'b' });
    await eventually(async () => expect((await lastIssue(source))?.status).toBe('CLOSED'));
  });

  it('is closed by a report of its former value too, which changes nothing', async () => {
    const sendAgain = async (json: Record<string, string | number>): Promise<string> => {
      const before = source.acknowledged;
      const transactionUuid = newUuid();
      source.send({ action: 'PUT', json, transactionUuid });
      await eventually(() => expect(source.acknowledged).toBe(before + 1));
      return transactionUuid;
    };
    const reason = (transaction: string): string =>
      `The adaptor has reported the record since (transaction ${transaction}).`;
    const { drUuid } = await send({ id: 16, name: 'a' });
    await send({ id: 17, name: 'a' });
    await report(source, { domain, version: 1, drKey: { id: 16 } });
    const events = () => world.database.prisma.dataEvent.count({ where: { recordUuid: drUuid } });
    const count = await events();
    await sendAgain({ id: 17, name: 'a' });
    const byKey = await sendAgain({ id: 16, name: 'a' });
    await eventually(async () =>
      expect(await lastIssue(source)).toMatchObject({ status: 'CLOSED', description: reason(byKey) }),
    );
    expect(await events()).toBe(count);
    await report(source, { drUuid });
    const named = await sendAgain({ id: 16, name: 'a' });
    await eventually(async () =>
      expect(await lastIssue(source)).toMatchObject({ status: 'CLOSED', description: reason(named) }),
    );
    // the issue of another adaptor about the same row stays
    await report(destination, { drUuid });
    await sendAgain({ id: 16, name: 'a' });
    await report(source, { drUuid });
    await sendAgain({ id: 16, name: 'a' });
    await eventually(async () => expect((await lastIssue(source))?.status).toBe('CLOSED'));
    expect((await lastIssue(destination))?.status).toBe('OPEN');
  });

  it('stays open where the row cannot be related', async () => {
    await report(source, { domain: 'Unknown', version: 1, drKey: { id: 15 } });
    expect(await lastIssue(source)).toMatchObject({ status: 'OPEN', domainVersionUuid: null, rowDigest: null });
  });
});

it('finds every row by an index in the statements of batches', async () => {
  expect(await findScans(world.database)).toEqual([]);
});
