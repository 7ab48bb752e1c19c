import { describe, expect, it } from '@jest/globals';
import { createAdaptor, createWorld, denying, uuid } from '../../testing/event-world.js';

const ada = { id: 1, name: 'Ada', note: 'n' };

describe('changed of a message', () => {
  it('names all properties of a POST, and none of a DELETE', () => {
    const { happen, changed } = createWorld();
    expect(changed(happen('A', { action: 'POST', json: ada }))).toEqual(['B POST id,name,note', 'C POST id,name,note']);
    expect(changed(happen('A', { action: 'DELETE', drKey: { id: 1 } }))).toEqual(['B DELETE -', 'C DELETE -']);
  });

  it('names only the properties that are new to the destination, though the source repeats the whole record', () => {
    const { happen, changed, report, book, version } = createWorld();
    happen('A', { action: 'POST', json: ada });
    const [record] = book.ofVersion(version.uuid);
    for (const name of ['B', 'C']) report(name, 'LINK', record?.uuid ?? '', { id: 1 });
    expect(changed(happen('A', { action: 'PUT', json: { ...ada, name: 'Eve' } }))).toEqual([
      'B PUT name',
      'C PUT name',
    ]);
    expect(changed(happen('C', { action: 'PUT', json: { ...ada, name: 'Eve', note: 'm' } }))).toEqual([
      'A PUT note',
      'B PUT note',
    ]);
    expect(changed(happen('B', { action: 'PUT', json: { id: 1, name: 'Eve', note: null } }))).toEqual([
      'A PUT note',
      'C PUT note',
    ]);
  });

  it('names everything after a deletion, and all that an adaptor is not known to hold when its link came by itself', () => {
    const { happen, changed } = createWorld();
    happen('A', { action: 'POST', json: ada });
    happen('A', { action: 'DELETE', drKey: { id: 1 } });
    expect(changed(happen('A', { action: 'POST', json: ada }))).toEqual(['B POST id,name,note', 'C POST id,name,note']);

    const adaptors = [createAdaptor('A'), createAdaptor('B', { actions: ['PUT'] })];
    const other = createWorld({ adaptors });
    other.happen('A', { action: 'POST', json: ada });
    const [record] = other.book.ofVersion(other.version.uuid);
    other.report('B', 'LINK', record?.uuid ?? '', { id: 1 });
    expect(other.changed(other.happen('A', { action: 'PUT', json: { ...ada, name: 'Eve' } }))).toEqual([
      'B PUT id,name,note',
    ]);
  });

  it('names values of the data store that the destination missed before, and no property that is kept from it', () => {
    const kept = { zoneUuid: uuid(61), properties: ['note'], post: 'DENY', put: 'DENY' } as const;
    const adaptors = [createAdaptor('A'), createAdaptor('B', { zoneUuid: uuid(61) }), createAdaptor('C')];
    const { happen, changed } = createWorld({ domainType: 'SERVICE_DATA_STORE', adaptors, acls: [denying(kept)] });
    expect(changed(happen('A', { action: 'POST', json: ada }))).toEqual(['B POST id,name', 'C POST id,name,note']);
    happen('B', { action: 'PUT', json: { id: 1, name: 'Ada' } });
    happen('C', { action: 'PUT', json: ada });
    expect(changed(happen('A', { action: 'PUT', json: { id: 1, name: 'Eve', note: 'm' } }))).toEqual([
      'B PUT name',
      'C PUT name,note',
    ]);
  });

  it('names, in a confirmation, the values that the source is to have again', () => {
    const { happen, changed } = createWorld();
    happen('A', { action: 'POST', json: ada });
    happen('B', { action: 'PUT', json: ada });
    happen('A', { action: 'PUT', json: { ...ada, name: 'Eve' } });
    // B had not seen Eve; its note is new, its name only repeats
    const unseen = { applied: 1, begun: 1 };
    expect(changed(happen('B', { action: 'PUT', json: { ...ada, note: 'm' } }, unseen))).toEqual([
      'A PUT note',
      'C POST id,note',
      'B PUT note',
    ]);
  });

  it('names the winning values that a source is sent again', () => {
    const { happen, changed, sent } = createWorld();
    happen('A', { action: 'POST', json: ada });
    happen('B', { action: 'PUT', json: ada });
    happen('A', { action: 'PUT', json: { ...ada, name: 'Eve' } });
    // a user at B may have set the name back
    const outcome = happen('B', { action: 'PUT', json: ada }, { applied: 1, begun: 2 });
    expect(sent(outcome)).toEqual(['B PUT {"id":1,"name":"Eve"}']);
    expect(changed(outcome)).toEqual(['B PUT name']);
  });
});
