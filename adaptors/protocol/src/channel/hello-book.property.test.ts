import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Ack, Hello } from '../messages/positions.js';
import {
  correlationOf,
  emptyHelloBook,
  heardAck,
  type HeardHello,
  type HelloBook,
  readHello,
  saidHello,
} from './hello-book.js';
import { type Position, startPosition } from './position.js';
import { meetSender, receive } from './receiver.js';
import { acknowledged, assigned, createSender, fits, metReceiver, type Sender } from './sender.js';

type Message =
  | { readonly kind: 'HELLO'; readonly heard: HeardHello }
  | { readonly kind: 'ACK'; readonly ack: Ack }
  | { readonly kind: 'DATA'; readonly epoch: string; readonly sequence: number };

/** The durable state of an end. */
interface Disk {
  readonly sender: Sender;
  readonly position: Position;
}

/** One end. Several processes may act for it; they share its disk, and each has its own book. */
interface End {
  disk: Disk;
  books: HelloBook[];
  /** Messages on the way to this end. */
  inbox: Message[];
  /** Number of spaces that the end opened after its first one. */
  renewals: number;
}

type Correlation = 'CORRELATES' | 'DOES_NOT_CORRELATE';

const createWorld = (adaptorSays: Correlation, serverProcesses: number) => {
  let nowMs = 0;
  let ids = 0;
  /** The adaptor's last hello, until it is answered. */
  let unanswered: string | undefined;
  const newId = (): string => `id${(ids += 1)}`;
  const createEnd = (processes: number): End => ({
    disk: { sender: createSender({ epoch: newId(), acked: 0, last: 0 }), position: startPosition },
    books: Array.from({ length: processes }, () => emptyHelloBook),
    inbox: [],
    renewals: 0,
  });
  const ends = { adaptor: createEnd(1), server: createEnd(serverProcesses) };
  type Name = keyof typeof ends;
  const names: readonly Name[] = ['adaptor', 'server'];
  const otherOf = (name: Name): End => ends[name === 'adaptor' ? 'server' : 'adaptor'];
  const isSimple = (name: Name): boolean => name === 'adaptor' && adaptorSays === 'DOES_NOT_CORRELATE';

  const hello = (name: Name, process: number, ask = false): void => {
    const { disk, books } = ends[name];
    const book = books[process] ?? emptyHelloBook;
    const { sender, position } = disk;
    const said: Hello = {
      epoch: position.epoch,
      applied: position.sequence,
      sendEpoch: sender.epoch,
      sent: sender.last,
      ask,
    };
    const id = newId();
    const correlationid = isSimple(name) ? undefined : correlationOf(book, id);
    books[process] = saidHello(book, { sender, receives: position.epoch }, id);
    otherOf(name).inbox.push({ kind: 'HELLO', heard: { id, correlationid, hello: said } });
    if (name === 'adaptor') unanswered = id;
  };
  const helloUnlessOnTheWay = (): void => {
    if (unanswered === undefined || adaptorSays === 'DOES_NOT_CORRELATE') hello('adaptor', 0);
  };
  /** The server sends such hellos at a limited rate. */
  const remind = (process: number, epoch: string): void => {
    if (ends.adaptor.inbox.some(({ kind }) => kind === 'HELLO')) return;
    hello('server', process, epoch !== ends.server.disk.position.epoch);
  };
  const renew = (end: End): void => {
    const { sender } = end.disk;
    const fresh = createSender({ epoch: newId(), acked: 0, last: sender.last - sender.acked });
    end.disk = { ...end.disk, sender: fresh };
    end.renewals += 1;
  };
  const take = (end: End, said: Hello): 'OPENED' | 'KNOWN' => {
    const position = meetSender(end.disk.position, said);
    if (position === end.disk.position) return 'KNOWN';
    end.disk = { ...end.disk, position };
    return 'OPENED';
  };
  const goOn = (end: End, said: Hello): void => {
    end.disk = { ...end.disk, sender: metReceiver(end.disk.sender, said, nowMs) };
  };
  /** An adaptor that only follows the contract and does not correlate. */
  const meetSimply = (end: End, said: Hello): void => {
    const opened = take(end, said) === 'OPENED';
    const isFit = fits(end.disk.sender, said);
    if (isFit) goOn(end, said);
    else renew(end);
    if (opened || !isFit) hello('adaptor', 0);
  };
  const meet = (name: Name, process: number, heard: HeardHello): void => {
    const end = ends[name];
    if (isSimple(name)) return meetSimply(end, heard.hello);
    const standing = { sender: end.disk.sender, receives: end.disk.position.epoch };
    const order = name === 'server' ? 'IN_ORDER' : 'ANY_ORDER';
    const { book, verdict } = readHello(end.books[process] ?? emptyHelloBook, standing, heard, { nowMs, order });
    end.books[process] = book;
    const opened = verdict.theirs === 'TAKE' && take(end, heard.hello) === 'OPENED';
    if (verdict.own === 'RENEW') renew(end);
    if (verdict.own === 'GO_ON') goOn(end, heard.hello);
    if (name === 'server') return hello(name, process, verdict.ask);
    if (heard.correlationid === unanswered) unanswered = undefined;
    if (opened || verdict.own === 'RENEW') hello(name, process);
    else if (verdict.ask || !verdict.answers || heard.hello.ask === true) helloUnlessOnTheWay();
  };
  const takeData = (name: Name, process: number, message: { readonly epoch: string; readonly sequence: number }) => {
    const end = ends[name];
    const reception = receive(end.disk.position, message);
    if (reception === 'GAP') return name === 'server' ? remind(process, message.epoch) : helloUnlessOnTheWay();
    if (reception === 'APPLY') end.disk = { ...end.disk, position: message };
    const { epoch, sequence } = end.disk.position;
    if (epoch !== null) otherOf(name).inbox.push({ kind: 'ACK', ack: { epoch, upto: sequence } });
  };

  return {
    ends,
    names,
    hello,
    /** Lets time pass: longer than an adaptor waits for an answer. */
    pass: (ms: number) => {
      nowMs += ms;
      if (unanswered !== undefined) hello('adaptor', 0);
    },
    /** Sends a few unacknowledged messages. */
    send: (name: Name) => {
      const { epoch, acked, last } = ends[name].disk.sender;
      for (let sequence = acked + 1; sequence <= Math.min(last, acked + 4); sequence += 1)
        otherOf(name).inbox.push({ kind: 'DATA', epoch, sequence });
    },
    /** Delivers the message at this index of the inbox to this process. */
    deliver: (name: Name, place: number, process: number) => {
      const end = ends[name];
      const [message] = end.inbox.splice(place, 1);
      if (message?.kind === 'HELLO') meet(name, process, message.heard);
      if (message?.kind === 'DATA') takeData(name, process, message);
      if (message?.kind !== 'ACK') return;
      end.books[process] = heardAck(end.books[process] ?? emptyHelloBook, message.ack);
      end.disk = { ...end.disk, sender: acknowledged(end.disk.sender, message.ack, nowMs) };
    },
    restart: (name: Name, process: number) => {
      ends[name].books[process] = emptyHelloBook;
      hello(name, process);
    },
  };
};
type World = ReturnType<typeof createWorld>;

const kinds = ['ASSIGN', 'SEND', 'SEND', 'DELIVER', 'DELIVER', 'DELIVER', 'DELIVER', 'HELLO', 'PASS'] as const;
const mishaps = ['COPY', 'LOSE', 'RESTART'] as const;
type Kind = (typeof kinds)[number] | (typeof mishaps)[number];

interface Step {
  readonly kind: Kind;
  readonly end: 'adaptor' | 'server';
  readonly pick: number;
}

const steps = (allowed: readonly Kind[]): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      kind: fc.constantFrom(...allowed),
      end: fc.constantFrom('adaptor' as const, 'server' as const),
      pick: fc.nat(1_000),
    }),
    { maxLength: 300, size: 'max' },
  );

const take = (world: World, { kind, end: name, pick }: Step, order: 'IN_ORDER' | 'ANY_ORDER'): void => {
  const end = world.ends[name];
  const place = order === 'IN_ORDER' ? 0 : pick % Math.max(1, end.inbox.length);
  const process = pick % end.books.length;
  const act: Readonly<Record<Kind, () => void>> = {
    ASSIGN: () => {
      end.disk = { ...end.disk, sender: assigned(end.disk.sender, end.disk.sender.last + 1) };
    },
    SEND: () => world.send(name),
    DELIVER: () => world.deliver(name, place, process),
    HELLO: () => world.hello(name, process),
    PASS: () => world.pass(700),
    // the message is delivered now, and again after the messages that follow it
    COPY: () => {
      end.inbox.push(...end.inbox.slice(place, place + 1));
      world.deliver(name, place, process);
    },
    LOSE: () => void end.inbox.splice(place, 1),
    RESTART: () => world.restart(name, process),
  };
  act[kind]();
};

/** Delivers every message from here on, without loss or delay, until both ends have acknowledged everything. */
const comeToRest = (world: World): void => {
  const isAtRest = (): boolean =>
    world.names.every((name) => {
      const { acked, last } = world.ends[name].disk.sender;
      return acked === last;
    });
  for (let round = 0; round < 30 && !isAtRest(); round += 1) {
    for (const name of world.names) world.send(name);
    for (let handed = 0; handed < 300 && world.names.some((name) => world.ends[name].inbox.length > 0); handed += 1) {
      for (const name of world.names) world.deliver(name, 0, 0);
    }
    world.pass(700);
  }
  expect(isAtRest()).toBe(true);
};
const renewalsOf = ({ ends }: World) => [ends.adaptor.renewals, ends.server.renewals];

describe('hellos', () => {
  it('open no new space between ends that correlate and keep their state, for any delay, repetition or order', () => {
    fc.assert(
      fc.property(steps([...kinds, ...mishaps]), (history) => {
        const world = createWorld('CORRELATES', 2);
        world.hello('adaptor', 0);
        for (const step of history) take(world, step, 'ANY_ORDER');
        comeToRest(world);
        expect(renewalsOf(world)).toEqual([0, 0]);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['copies', ['COPY', 'LOSE']],
    ['restarts', ['LOSE', 'RESTART']],
  ] as const)(
    'open no new space for an adaptor that does not correlate, with ordered messages, losses and %s',
    (_, more) => {
      fc.assert(
        fc.property(steps([...kinds, ...more]), (history) => {
          const world = createWorld('DOES_NOT_CORRELATE', 1);
          world.hello('adaptor', 0);
          for (const step of history) take(world, step, 'IN_ORDER');
          expect(world.ends.server.renewals).toBe(0);
        }),
        { numRuns: 500 },
      );
    },
  );

  it.each(['CORRELATES', 'DOES_NOT_CORRELATE'] as const)(
    'recover the channel after an adaptor or the server lost its state, when the adaptor %s',
    (adaptorSays) => {
      const loss = fc.constantFrom('FORGOTTEN', 'OLDER', 'ELSEWHERE', 'SERVER_RESTORED');
      fc.assert(
        fc.property(steps([...kinds, ...mishaps]), fc.nat(100), loss, (history, saved, lost) => {
          const world = createWorld(adaptorSays, 1);
          const { adaptor, server } = world.ends;
          world.hello('adaptor', 0);
          let backup = { adaptor: adaptor.disk, server: server.disk };
          for (const [index, step] of history.entries()) {
            take(world, step, 'IN_ORDER');
            if (index === saved) backup = { adaptor: adaptor.disk, server: server.disk };
          }
          if (lost === 'FORGOTTEN') {
            adaptor.disk = { sender: createSender({ epoch: 'newborn', acked: 0, last: 0 }), position: startPosition };
          }
          if (lost === 'OLDER') adaptor.disk = { ...adaptor.disk, position: backup.adaptor.position };
          if (lost === 'ELSEWHERE') {
            adaptor.disk = { ...adaptor.disk, position: { epoch: 'of another server', sequence: 7 } };
          }
          if (lost === 'SERVER_RESTORED') {
            server.disk = backup.server;
            world.restart('server', 0);
          }
          world.restart('adaptor', 0);
          for (const end of [adaptor, server]) {
            end.disk = { ...end.disk, sender: assigned(end.disk.sender, end.disk.sender.last + 3) };
          }
          comeToRest(world);
        }),
        { numRuns: 500 },
      );
    },
  );
});
