import { describe, expect, it } from '@jest/globals';
import { AppError } from '@fds/errors';
import fc from 'fast-check';
import { Reading } from './reading.js';
import { completeRefusal, refusalByCauses } from './refusal.js';

const cause = (pointer: string, code = 'WRONG_TYPE') => ({ pointer, code, detail: `${pointer} is wrong` });

describe('a reading', () => {
  it('includes the elements that were left out when it locates an element', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 20 }), (kept) => {
        const reading = new Reading();
        kept.forEach((isKept, index) => isKept || reading.leaveOut('/list', index));
        const places = kept.flatMap((isKept, index) => (isKept ? [index] : []));
        expect(places.map((_, passed) => reading.locate(`/list/${passed}/name`))).toEqual(
          places.map((index) => `/list/${index}/name`),
        );
      }),
    );
  });

  it('locates faults in lists within lists, in wrapped bodies and in wrappers', () => {
    const reading = new Reading();
    reading.leaveOut('/a', 0);
    reading.leaveOut('/a/1/b', 0);
    expect(reading.locate('/a/0/b/0')).toBe('/a/1/b/1');
    expect(reading.locate('/c/0')).toBe('/c/0');
    expect(reading.locate('position')).toBe('position');
    const wrapped = new Reading();
    wrapped.wrap();
    expect([wrapped.locate('/0'), wrapped.locate('/0/name'), wrapped.locate('')]).toEqual(['', '/name', '']);
    const unwrapped = new Reading();
    unwrapped.unwrap('/entries');
    unwrapped.leaveOut('/entries', 0);
    expect(unwrapped.locate('/0/name')).toBe('/entries/1/name');
  });

  it('keeps at most a thousand causes', () => {
    const reading = new Reading();
    for (let index = 0; index < 2000; index += 1) reading.add(cause(`/${index}`));
    expect(reading.causes).toHaveLength(1000);
    expect(refusalByCauses(reading.causes).message).toMatch(/and 990 more$/);
  });
});

describe('a refusal', () => {
  it('has the code for parameters only if the body is valid', () => {
    expect(refusalByCauses([cause('size'), cause('If-Match')]).code).toBe('INVALID_PARAMETER');
    expect(refusalByCauses([cause('size'), cause('')]).code).toBe('VALIDATION_FAILED');
    expect(refusalByCauses([cause('size'), cause('/name')]).code).toBe('VALIDATION_FAILED');
  });

  it('includes the other causes that the operation finds, but none that only follow from the known ones', () => {
    const found = new AppError('VALIDATION_FAILED', 'no', {
      errors: [cause('/name', 'REQUIRED'), cause('/a/b/c'), cause('/a', 'REQUIRED'), cause('/a'), cause('/other')],
    });
    const { errors } = completeRefusal([cause('/name'), cause('/a/b')], [found]);
    expect(errors.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/name WRONG_TYPE',
      '/a/b WRONG_TYPE',
      '/a WRONG_TYPE',
      '/other WRONG_TYPE',
    ]);
  });

  it('does not report a filter as missing if the filter could not be read', () => {
    const found = new AppError('INVALID_PARAMETER', 'no', { errors: [cause('filters.name', 'REQUIRED')] });
    expect(completeRefusal([cause('filters')], [found]).errors).toHaveLength(1);
    expect(completeRefusal([cause('size')], [found]).errors).toHaveLength(2);
  });

  it('is replaced by refusals of permission and unknown resources, but not by conflicts and failures', () => {
    const refusedWith = (code: 'FORBIDDEN' | 'NOT_FOUND' | 'STALE_CHANGE_VERSION' | 'UNAVAILABLE') =>
      completeRefusal([cause('/name')], [new AppError(code, 'no')]).code;
    expect([refusedWith('FORBIDDEN'), refusedWith('NOT_FOUND')]).toEqual(['FORBIDDEN', 'NOT_FOUND']);
    expect(refusedWith('STALE_CHANGE_VERSION')).toBe('VALIDATION_FAILED');
    expect(refusedWith('UNAVAILABLE')).toBe('VALIDATION_FAILED');
  });
});
