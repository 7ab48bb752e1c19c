import type { Socket } from 'node:net';
import type { BrokerBound, BrokerLimits } from './broker-limits.js';
import { createFrameGauge } from './frame-gauge.js';

/** Accepts connections, and limits what each may send before and after it is authenticated. */
export interface ConnectionGate {
  /** Takes over a new connection. @returns false when the connection was refused; it is closed then */
  enter(socket: Socket): boolean;
  /** Notes that an adaptor authenticated on the connection: it no longer counts as pending. */
  authenticated(socket: Socket): void;
}

interface Pending {
  readonly address: string;
  readonly timer: NodeJS.Timeout;
}

export const createConnectionGate = (
  limits: BrokerLimits,
  onBoundHit: (bound: BrokerBound) => void,
): ConnectionGate => {
  const pending = new Map<Socket, Pending>();
  const pendingOf = new Map<string, number>();
  let connections = 0;

  const refuse = (socket: Socket, bound: BrokerBound): void => {
    onBoundHit(bound);
    socket.destroy();
  };

  const settle = (socket: Socket): void => {
    const entry = pending.get(socket);
    if (entry === undefined) return;
    pending.delete(socket);
    clearTimeout(entry.timer);
    const left = (pendingOf.get(entry.address) ?? 1) - 1;
    if (left === 0) pendingOf.delete(entry.address);
    else pendingOf.set(entry.address, left);
  };

  /** The broker's parser receives its bytes only through `read`, so it never sees a packet that is too large. */
  const watchReads = (socket: Socket): void => {
    const gauge = createFrameGauge(limits.maxPacketBytes);
    const read = socket.read.bind(socket);
    socket.read = (size?: number): Buffer | null => {
      const chunk = read(size) as Buffer | null;
      if (chunk === null || gauge.take(chunk) === undefined) return chunk;
      refuse(socket, 'bus_packet');
      return null;
    };
  };

  return {
    enter: (socket) => {
      const address = socket.remoteAddress ?? '';
      const ofAddress = pendingOf.get(address) ?? 0;
      const isFull = connections >= limits.maxConnections;
      if (isFull || pending.size >= limits.maxPending || ofAddress >= limits.maxPendingPerAddress) {
        refuse(socket, isFull ? 'bus_connections' : 'bus_pending_connections');
        return false;
      }
      connections += 1;
      pendingOf.set(address, ofAddress + 1);
      pending.set(socket, {
        address,
        timer: setTimeout(() => refuse(socket, 'bus_connect_time'), limits.connectMs),
      });
      socket.once('close', () => {
        connections -= 1;
        settle(socket);
      });
      watchReads(socket);
      return true;
    },
    authenticated: settle,
  };
};
