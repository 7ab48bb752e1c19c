import { describe, expect, it } from '@jest/globals';
import { createSocketRegister, type SocketPlace } from './create-socket-register.js';

const create = () =>
  createSocketRegister({ maxSockets: 5, maxSocketsPerCaller: 2, maxPending: 4, maxPendingPerAddress: 2 });

const placed = (place: SocketPlace | string): SocketPlace => {
  if (typeof place === 'string') throw new Error(place);
  return place;
};

describe('the socket register', () => {
  it('limits the sockets of an address until they sign in or leave', () => {
    const register = create();
    const [first, second] = [placed(register.enter('a')), placed(register.enter('a'))];
    expect(register.enter('a')).toBe('ADDRESS_FULL');
    expect(first.signIn('ada')).toBe(true);
    placed(register.enter('a'));
    expect(register.enter('a')).toBe('ADDRESS_FULL');
    second.leave();
    second.leave();
    placed(register.enter('a'));
    expect(register.enter('a')).toBe('ADDRESS_FULL');
  });

  it('limits the sockets of a caller', () => {
    const register = create();
    const places = ['a', 'b', 'c'].map((address) => placed(register.enter(address)));
    expect(places.map((place) => place.signIn('ada'))).toEqual([true, true, false]);
    expect(places[2]?.pending).toBe(true);
    places[0]?.leave();
    expect(placed(register.enter('d')).signIn('ada')).toBe(true);
  });

  it('limits all sockets together', () => {
    const register = create();
    const places = ['a', 'b', 'c', 'd'].map((address) => placed(register.enter(address)));
    expect(register.enter('e')).toBe('FULL');
    places[0]?.signIn('ada');
    places[1]?.signIn('bob');
    placed(register.enter('e'));
    expect(register.enter('f')).toBe('FULL');
    places[0]?.leave();
    placed(register.enter('f'));
  });
});
