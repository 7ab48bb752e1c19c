import { describe, expect, it } from '@jest/globals';
import { fillTemplate } from './fill-template.js';

const template = {
  uri: 'file://${FOLDER}/${ID}',
  from: 'file://${FOLDER}/${PROPERTY}',
  note: '${NULLABLE}',
  length: 1,
  list: [{ key: '${ID}' }],
};
const names = { id: 'a', folder: '/tmp/x', property: 'name', nullable: 'note' };

describe('the record of an event by a template', () => {
  it('has the values of the event in the texts that name them', () => {
    expect(fillTemplate(template, names, { name: '3', note: 'n' })).toEqual({
      uri: 'file:///tmp/x/a',
      from: 'file:///tmp/x/3',
      note: 'n',
      length: 1,
      list: [{ key: 'a' }],
    });
  });

  it('leaves out a member whose property is absent, and has null where it is null', () => {
    expect(fillTemplate(template, names, { note: null })).toEqual({
      uri: 'file:///tmp/x/a',
      note: null,
      length: 1,
      list: [{ key: 'a' }],
    });
  });

  it('keeps properties that the template does not know', () => {
    expect(fillTemplate({ uri: '${ID}' }, names, { ofTheFuture: { deep: [1] } })).toEqual({
      uri: 'a',
      ofTheFuture: { deep: [1] },
    });
  });
});
