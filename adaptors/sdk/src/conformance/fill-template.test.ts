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

describe('the record that a template makes for an event', () => {
  it('has the values of the event in the texts that name them', () => {
    expect(fillTemplate(template, names, { name: '3', note: 'n' })).toEqual({
      uri: 'file:///tmp/x/a',
      from: 'file:///tmp/x/3',
      note: 'n',
      length: 1,
      list: [{ key: 'a' }],
    });
  });

  it('omits a member when its property is absent, and has null when the property is null', () => {
    expect(fillTemplate(template, names, { note: null })).toEqual({
      uri: 'file:///tmp/x/a',
      note: null,
      length: 1,
      list: [{ key: 'a' }],
    });
  });

  it('keeps properties that are not in the template', () => {
    expect(fillTemplate({ uri: '${ID}' }, names, { ofTheFuture: { deep: [1] } })).toEqual({
      uri: 'a',
      ofTheFuture: { deep: [1] },
    });
  });
});
