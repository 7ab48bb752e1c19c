import { describe, expect, it } from '@jest/globals';
import { AppError } from './app-error.js';
import { errorCatalogue, errorCodes, isErrorCode } from './error-catalogue.js';
import { renderErrorsPage } from './render-errors-page.js';

describe('the error catalogue', () => {
  it.each(errorCodes)('%s is a word with a sensible status, title and advice', (code) => {
    const { status, title, advice } = errorCatalogue[code];
    expect(code).toMatch(/^[A-Z][A-Z_]*[A-Z]$/);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect(title).not.toMatch(/\.$/);
    expect(advice).toMatch(/\.$/);
  });

  it('knows its own codes and no inherited names', () => {
    expect(isErrorCode('NOT_FOUND')).toBe(true);
    expect(isErrorCode('toString')).toBe(false);
    expect(isErrorCode(404)).toBe(false);
  });

  it('puts every code on the page', () => {
    const page = renderErrorsPage();
    for (const code of errorCodes) expect(page).toContain(`### ${code}\n`);
  });
});

describe('AppError', () => {
  it('shows code, causes and details as extensions, never its cause', () => {
    const errors = [{ pointer: '/name', code: 'REQUIRED', detail: 'name is required' }];
    const error = new AppError('VALIDATION_FAILED', 'not valid', {
      errors,
      details: { position: 3 },
      cause: new Error('secret'),
    });
    expect(error.extensions).toEqual({ code: 'VALIDATION_FAILED', errors, position: 3 });
    expect(error.definition.status).toBe(400);
  });

  it('cannot have its code replaced by a detail', () => {
    expect(new AppError('NOT_FOUND', 'gone', { details: { code: 'OTHER' } }).extensions['code']).toBe('NOT_FOUND');
  });
});
