import { describe, expect, it } from '@jest/globals';
import {
  newProperties,
  nothingKnown,
  overlay,
  repeatsBeforeFailure,
  withShownFormer,
  type KnownContent,
} from './known-content.js';
import { hashesBefore } from './sent-notes.js';
import { withFailure } from './with-failure.js';

const known = (parts: Partial<KnownContent>): KnownContent => ({ ...nothingKnown, ...parts });
const note = (sequence: number, before: Record<string, string>) => ({ sequence, kind: 'CHANGE', before }) as const;

describe('known content after a message could not be applied', () => {
  it('has the former values next to the new ones, which are still to be sent', () => {
    const before = known({ hashes: { name: 'eve', phone: '1' }, sent: [note(7, { name: 'ada' })] });
    const after = withFailure(before, { sequence: 7, content: { name: 'eve' } });
    expect(after).toMatchObject({ hashes: { name: 'eve', phone: '1' }, failed: { name: 'ada' } });
    expect(newProperties({ name: 'eve', phone: '1' }, after)).toEqual(['name']);
    expect(repeatsBeforeFailure({ name: 'ada', phone: '1' }, after)).toEqual(['name']);
    expect(overlay(after, { name: 'eve' }).failed).toEqual({});
    expect(overlay(after, { phone: '2' }).failed).toEqual({ name: 'ada' });
  });

  it('leaves a value to the later message that replaces it, which has to bring it over the former one', () => {
    const sent = [note(7, { name: 'ada' }), note(8, { name: 'eve' })];
    const first = withFailure(known({ hashes: { name: 'joe' }, sent }), { sequence: 7, content: { name: 'eve' } });
    expect(first).toMatchObject({ failed: {}, sent: [{ before: { name: 'ada' } }, { before: { name: 'ada' } }] });
    expect(withFailure(first, { sequence: 8, content: { name: 'joe' } }).failed).toEqual({ name: 'ada' });
  });

  it('keeps a value that the adaptor has reported since, and a deletion', () => {
    const reported = known({ hashes: { name: 'own' }, sent: [note(7, { name: 'ada' })] });
    expect(withFailure(reported, { sequence: 7, content: { name: 'eve' } }).failed).toEqual({});
    const deleted = known({ sent: [note(7, {}), { ...note(8, {}), kind: 'DELETION' }], deletionSent: true });
    expect(withFailure(deleted, { sequence: 7, content: { name: 'eve' } })).toBe(deleted);
  });

  it.each(['WHOLE', 'PART'] as const)(
    'learns the former value from a report when the note of the message is gone: %s',
    (extent) => {
      const before = known({ hashes: { name: 'eve', phone: '1' }, sent: [] });
      const after = withFailure(before, { sequence: 7, content: { name: 'eve' } }, extent);
      const former = ({ failed, skipped }: KnownContent) => (extent === 'WHOLE' ? failed : skipped);
      expect(former(after)).toEqual({ name: '?' });
      const report = { name: 'old', phone: '2' };
      expect(repeatsBeforeFailure(report, after)).toEqual([]);
      const shown = withShownFormer(after, report, false);
      expect(former(shown)).toEqual({ name: 'old' });
      expect(repeatsBeforeFailure(report, shown)).toEqual(['name']);
      expect(withShownFormer(shown, { name: 'own', phone: '3' }, false)).toBe(shown);
      // a user changed just this property
      expect(withShownFormer(after, { name: 'old', phone: '1' }, false)).toBe(after);
      expect(former(withShownFormer(after, { name: 'old' }, true))).toEqual({ name: 'old' });
      expect(withShownFormer(after, { name: 'eve', phone: '2' }, false)).toBe(after);
    },
  );

  it('knows that a first message that failed left no value, and that one that was applied in part left an unknown one', () => {
    const before = known({ hashes: { name: 'eve' }, sent: [note(7, {})] });
    expect(withFailure(before, { sequence: 7, content: { name: 'eve' } }).failed).toEqual({ name: '' });
    expect(withFailure(before, { sequence: 7, content: { name: 'eve' } }, 'PART').skipped).toEqual({ name: '?' });
  });

  it('has the former values of skipped properties, which are not sent again', () => {
    const before = known({ hashes: { name: 'eve', note: 'n' }, sent: [note(7, { name: 'ada', note: '' })] });
    const after = withFailure(before, { sequence: 7, content: { name: 'eve', note: 'n' } }, 'PART');
    expect(after).toMatchObject({ failed: {}, skipped: { name: 'ada', note: '?' } });
    expect(newProperties({ name: 'eve', note: 'n' }, after)).toEqual([]);
    expect(repeatsBeforeFailure({ name: 'ada', note: 'm' }, after)).toEqual(['name']);
    expect(hashesBefore({ name: 'joe' }, after)).toEqual({ name: 'ada' });
    expect(overlay(after, { name: 'eve' }).skipped).toEqual({ note: '?' });
  });
});
