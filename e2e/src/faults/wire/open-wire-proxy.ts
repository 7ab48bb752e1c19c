import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { Leftovers } from '../../harness/leftovers.js';
import { createMeddler, noMischief, type Mischief, type MischiefCounts } from './meddler.js';
import { createFrameReader, type Frame } from '../../programs/ledger/mqtt-frames.js';

/** UP: from the adaptor to the broker. */
type Direction = 'UP' | 'DOWN';

/** A wire between an adaptor and the broker that can be disturbed. */
export interface WireProxy {
  /** The broker's address for the adaptor. */
  readonly url: string;
  /** Stops all traffic in both directions until the returned function is called. */
  stall(): () => void;
  /** Closes the adaptor's side of the connections; the broker's side stays open. */
  halfOpen(): void;
  /** Closes the connections at both ends. */
  cut(): void;
  readonly counts: Readonly<MischiefCounts>;
}

export interface WireProxyOptions {
  /** `tcp://host:port` of the broker. */
  readonly brokerUrl: string;
  readonly mischief?: Mischief;
  readonly random?: () => number;
  /** Called for every packet that reaches its end, including disturbed ones. */
  readonly onFrame?: (frame: Frame, direction: Direction) => void;
}

interface Wire {
  readonly adaptor: Socket;
  readonly broker: Socket;
}

/** Opens a proxy on a free port; it ends with the leftovers. */
export const openWireProxy = async (leftovers: Leftovers, options: WireProxyOptions): Promise<WireProxy> => {
  const { mischief = noMischief, random = () => 1, onFrame = () => undefined } = options;
  const { hostname, port } = new URL(options.brokerUrl);
  const counts: MischiefCounts = { duplicates: 0, losses: 0, swaps: 0 };
  const wires = new Set<Wire>();
  let stalled = false;

  const forward = (from: Socket, to: Socket, direction: Direction): void => {
    const read = createFrameReader();
    const meddle = createMeddler(mischief, random, counts);
    from.on('data', (chunk) => {
      for (const frame of read(chunk)) {
        const { onward, back } = meddle(frame);
        for (const passing of onward) {
          onFrame(passing, direction);
          to.write(passing);
        }
        for (const answer of back) from.write(answer);
      }
    });
  };

  const server = createServer({ noDelay: true }, (adaptor) => {
    const broker = connect({ host: hostname, port: Number(port), noDelay: true });
    const wire: Wire = { adaptor, broker };
    wires.add(wire);
    const end = (): void => {
      wires.delete(wire);
      adaptor.destroy();
      broker.destroy();
    };
    for (const socket of [adaptor, broker]) {
      socket.on('error', () => undefined);
      socket.on('close', end);
    }
    forward(adaptor, broker, 'UP');
    forward(broker, adaptor, 'DOWN');
    if (stalled) for (const socket of [adaptor, broker]) socket.pause();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const cut = (): void => {
    for (const { adaptor, broker } of wires) {
      adaptor.destroy();
      broker.destroy();
    }
  };
  leftovers.add(() => {
    cut();
    server.close();
  });

  return {
    url: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stall: () => {
      stalled = true;
      for (const { adaptor, broker } of wires) for (const socket of [adaptor, broker]) socket.pause();
      return () => {
        stalled = false;
        for (const { adaptor, broker } of wires) for (const socket of [adaptor, broker]) socket.resume();
      };
    },
    halfOpen: () => {
      for (const wire of wires) {
        const { adaptor, broker } = wire;
        wires.delete(wire);
        adaptor.removeAllListeners('close');
        broker.removeAllListeners('data');
        broker.resume();
        adaptor.destroy();
        leftovers.add(() => void broker.destroy());
      }
    },
    cut,
    counts,
  };
};
