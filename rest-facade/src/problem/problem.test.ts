import { describe, expect, it } from '@jest/globals';
import { AppError, errorCatalogue, errorCodes } from '@fds/errors';
import { renderProblem } from './problem.js';
import { fromGraphqlErrors, toAppError } from './to-app-error.js';

const place = { errorsPage: 'http://localhost/docs/errors', instance: '/api/zones', requestId: 'r-1' };
const render = (error: AppError) => {
  const { body, ...rest } = renderProblem(error, place);
  return { ...rest, body: JSON.parse(body) as Record<string, unknown> };
};

describe('renderProblem', () => {
  it.each(errorCodes)('%s has the members of RFC 9457 and ours', (code) => {
    const { status, title } = errorCatalogue[code];
    const problem = render(new AppError(code, 'because', { details: { allow: 'GET' } }));
    expect(problem.status).toBe(status);
    expect(problem.body).toMatchObject({
      type: `http://localhost/docs/errors#${code}`,
      title,
      status,
      detail: code === 'INTERNAL' ? errorCatalogue.INTERNAL.advice : 'because',
      instance: '/api/zones',
      code,
      requestId: 'r-1',
    });
  });

  it('puts causes and details at the top level, where no detail replaces a member', () => {
    const errors = [{ pointer: '/name', code: 'REQUIRED', detail: 'name is required' }];
    const details = { position: 4, status: 200, code: 'FINE' };
    const { body } = render(new AppError('INVALID_QUERY', 'no', { errors, details }));
    expect(body).toMatchObject({ position: 4, status: 400, code: 'INVALID_QUERY', errors });
  });

  it('does not reveal details of an internal failure', () => {
    const text = JSON.stringify(render(toAppError(new Error('select secret from t'))));
    expect(text).not.toContain('secret');
  });

  it('has headers that tell the client what to do next', () => {
    const headersOf = (error: AppError) => render(error).headers;
    const unauthenticated = (reason: string) => new AppError('UNAUTHENTICATED', 'no', { details: { reason } });
    expect(headersOf(unauthenticated('missing'))).toEqual({ 'www-authenticate': 'Bearer realm="fds"' });
    expect(headersOf(unauthenticated('expired'))['www-authenticate']).toContain('error="invalid_token"');
    expect(headersOf(new AppError('UNAVAILABLE', 'no'))).toEqual({ 'retry-after': '5' });
    expect(headersOf(new AppError('METHOD_NOT_ALLOWED', 'no', { details: { allow: 'GET' } }))).toEqual({
      allow: 'GET',
    });
  });
});

describe('fromGraphqlErrors', () => {
  const of = (...extensions: Readonly<Record<string, unknown>>[]) =>
    fromGraphqlErrors(extensions.map((members) => ({ message: 'told', extensions: members })));

  it('keeps code, causes and details', () => {
    const errors = [{ pointer: 'size', code: 'OUT_OF_RANGE', detail: 'no' }];
    const error = of({ code: 'STALE_CHANGE_VERSION', errors, currentChangeVersion: 4, serviceName: 'catalog' });
    expect(error).toMatchObject({ code: 'STALE_CHANGE_VERSION', errors, details: { currentChangeVersion: 4 } });
    expect(error.message).toBe('told');
  });

  it.each([
    [[{ code: 'FORBIDDEN' }, { code: 'NOT_FOUND' }], 'NOT_FOUND'],
    [[{ code: 'NOT_FOUND' }, { code: 'INTERNAL' }], 'INTERNAL'],
    [[{ code: 'BAD_USER_INPUT' }], 'VALIDATION_FAILED'],
    [[{ code: 'SOMETHING_ELSE' }], 'INTERNAL'],
    [[{}], 'INTERNAL'],
  ])('%j is %s', (extensions, code) => {
    expect(of(...extensions).code).toBe(code);
  });
});
