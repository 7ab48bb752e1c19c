import { eventually } from '@fds/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { createVersion, requireStatus } from '../../harness/catalogue.js';
import { setUpDoors } from '../set-up-doors.js';
import { browserMissing, openBrowser } from './open-browser.js';

const why = browserMissing === undefined ? '' : ` (skipped: ${browserMissing})`;

(browserMissing === undefined ? describe : describe.skip)(`the pages of the service in a browser${why}`, () => {
  const { doors, leftovers } = setUpDoors();
  let page: Page;
  /** Requests of a page to other hosts, violations of its policy, and its errors. */
  const faults: string[] = [];
  /** Addresses that the browser showed or requested. */
  const addresses: string[] = [];

  beforeAll(async () => {
    const text = { type: 'string' };
    await createVersion(doors.dgs, {
      name: 'page-person',
      domainType: 'SERVICE_DATA_STORE',
      properties: {
        email: { ...text, format: 'email' },
        name: text,
        home: { type: 'object', properties: { city: text } },
      },
      drKeyProperties: ['email'],
    });
    const json = { email: 'grace@example.org', name: 'Grace', home: { city: 'Arlington' } };
    requireStatus(await doors.dgs.rest('POST', '/drs', { name: 'page-person', json }), 201);
    const context = await (await openBrowser(leftovers)).newContext();
    context.setDefaultTimeout(60_000);
    page = await context.newPage();
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) faults.push(message.text());
    });
    page.on('request', (request) => {
      addresses.push(request.url());
      const isOwn = request.url().startsWith(doors.service.baseUrl) || /^(?:data|blob):/.test(request.url());
      if (!isOwn) faults.push(`loads ${request.url()}`);
    });
  }, 120_000);

  const at = (path: string): string => `${doors.service.baseUrl}${path}`;
  const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
  const storedToken = async (): Promise<string | null> => {
    const stored = await page.evaluate<string | null>(`sessionStorage.getItem('fds-session')`);
    return stored === null ? null : (JSON.parse(stored) as { readonly token: string }).token;
  };

  it('sign a person in by a button, and keep the sign-in after a reload and on the other pages', async () => {
    await page.goto(at('/graphql?recordType=dr_page_person_1'));
    await button('Sign in').click();
    await page.locator('input[name=username]').fill('dgs');
    await page.locator('input[type=password]').fill(doors.service.passwords.dgs);
    await page.locator('button[type=submit]').click();
    await page.getByText('Signed in as dgs').waitFor();
    expect(page.url()).toBe(at('/graphql?recordType=dr_page_person_1'));
    await page.reload();
    await page.getByText('Signed in as dgs').waitFor();
    await page.goto(at('/docs'));
    await page.getByText('Signed in as dgs').waitFor();
    const token = (await storedToken()) ?? '';
    expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(addresses.filter((address) => address.includes(token))).toEqual([]);
    expect(await page.evaluate<string>('JSON.stringify(localStorage)')).not.toContain(token);
  }, 120_000);

  it('link from a record type to an example query that returns its records', async () => {
    await page.goto(at('/docs'));
    await page.getByRole('link', { name: 'dr_page_person_1' }).click();
    await page.locator('.graphiql-query-editor', { hasText: 'dr_page_person_1(size: 10)' }).waitFor();
    await page.getByRole('button', { name: /Execute query/ }).click();
    const result = page.locator('.graphiql-response', { hasText: 'Arlington' });
    await result.waitFor();
    expect(await result.textContent()).toContain('grace@example.org');
  }, 120_000);

  it('show a query in GraphiQL that gives an answer with nothing edited', async () => {
    await page.goto(at('/docs'));
    // the editor remembers the query of the previous test, and an open editor writes it again
    await page.evaluate('localStorage.clear()');
    await page.goto(at('/graphql'));
    await page.locator('.graphiql-query-editor', { hasText: 'domains(size: 10)' }).waitFor();
    await page.getByRole('button', { name: /Execute query/ }).click();
    const result = page.locator('.graphiql-response', { hasText: 'page-person' });
    await result.waitFor();
    expect(await result.textContent()).not.toContain('"errors"');
  }, 120_000);

  /** Filters the operations down to one, and opens it. */
  const openOperation = async (operationId: string): Promise<Locator> => {
    await page.locator('.operation-filter-input').fill(operationId);
    const operation = page.locator(`.opblock[id$="-${operationId}"]`);
    await operation.locator('.opblock-summary').click();
    return operation;
  };

  /** Executes an operation as it was filled. @returns the status of the answer */
  const execute = async (operation: Locator): Promise<string> => {
    await operation.locator('.execute').click();
    const status = operation.locator('.live-responses-table tbody .response-col_status').first();
    await status.waitFor();
    return ((await status.textContent()) ?? '').trim().slice(0, 3);
  };

  it('filter operations by words of their path, method and summary', async () => {
    await page.goto(at('/docs'));
    await page.locator('.operation-filter-input').fill('get events record');
    await page.locator('.opblock[id$="-listDataEvents"]').waitFor();
    const shown = await page.locator('.opblock').evaluateAll((blocks) => blocks.map(({ id }) => id));
    expect(shown.length).toBeLessThan(5);
  }, 120_000);

  const expectFilled = (input: Locator): Promise<void> =>
    eventually(async () => expect(await input.inputValue()).not.toBe(''));

  it('execute an operation without edits', async () => {
    for (const operationId of ['listDataRecords', 'listZones', 'getDomain', 'getVersion']) {
      const operation = await openOperation(operationId);
      const uuids = operation.locator('.parameters-col_description input[placeholder$="Uuid"]');
      if ((await uuids.count()) > 0) await expectFilled(uuids.first());
      expect([operationId, await execute(operation)]).toEqual([operationId, '200']);
    }
    const patch = await openOperation('patchDataRecord');
    await expectFilled(patch.locator('.parameters-col_description input[placeholder="drUuid"]'));
    await patch.locator('textarea', { hasText: 'Arlington' }).waitFor();
    expect(await execute(patch)).toBe('200');
    const { body } = await doors.dgs.rest<{ drs: { json: object }[] }>('GET', '/drs?filters=name:page-person');
    expect(body.drs.map(({ json }) => json)).toEqual([
      { email: 'grace@example.org', name: 'Grace', home: { city: 'Arlington' } },
    ]);
    const create = await openOperation('createDataRecord');
    await create.locator('textarea', { hasText: 'page-person' }).waitFor();
    expect(await execute(create)).toBe('201');
  }, 240_000);

  it('preselect nothing that an operation would delete', async () => {
    const remove = await openOperation('deleteDataRecord');
    await remove.locator('.execute').click();
    expect(await remove.locator('input[placeholder="drUuid"]').inputValue()).toBe('');
    const { body } = await doors.dgs.rest<{ _page: { totalElements: number } }>('GET', '/drs?filters=name:page-person');
    expect(body._page.totalElements).toBe(2);
  }, 120_000);

  it('sign out, and load nothing from other hosts', async () => {
    await button('Sign out').click();
    await button('Sign in').waitFor();
    expect(await storedToken()).toBeNull();
    await page.goto(at('/openid/login'));
    // the session of the browser has ended too: the password is asked for again
    await page.locator('input[type=password]').waitFor();
    expect(faults).toEqual([]);
  }, 120_000);
});
