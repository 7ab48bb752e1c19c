import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

// MQTT 3.1.1, 2.2.3: seven bits per byte, lowest bits first
const lengthOf = (bytes: number): Buffer => {
  const encoded: number[] = [];
  let rest = bytes;
  do {
    encoded.push((rest % 128) + (rest > 127 ? 128 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Buffer.from(encoded);
};

const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);
const text = (value: string): Buffer => Buffer.concat([uint16(Buffer.byteLength(value)), Buffer.from(value)]);
const packet = (header: number, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([header]), lengthOf(body.byteLength), body]);
};

/** A PUBLISH with QoS 1. */
export const publishPacket = (topic: string, messageId: number, payload: string): Buffer =>
  packet(0x32, text(topic), uint16(messageId), Buffer.from(payload));

/** A SUBSCRIBE with QoS 1. */
export const subscribePacket = (filter: string, messageId: number): Buffer =>
  packet(0x82, uint16(messageId), text(filter), Buffer.from([1]));

export interface ConnectFields {
  readonly clientId: string;
  readonly username: string;
  /** Default true. */
  readonly cleanSession?: boolean;
}

/** A CONNECT of protocol level 4 with user name and password, kept alive for a minute. */
export const connectPacket = ({ clientId, username, cleanSession = true }: ConnectFields): Buffer => {
  const header = Buffer.concat([text('MQTT'), Buffer.from([4, cleanSession ? 0xc2 : 0xc0]), uint16(60)]);
  return packet(0x10, header, text(clientId), text(username), text('secret'));
};

export interface WireCredentials extends ConnectFields {
  readonly port: number;
}

/** A socket on which the broker has sent its CONNACK. Tests write their own packets to it and decide when to read. */
export const connectWire = async ({ port, ...fields }: WireCredentials): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(connectPacket(fields));
  await once(socket, 'readable');
  const answer = socket.read(4) as Buffer;
  if (answer[0] !== 0x20 || answer[3] !== 0) throw new Error(`the broker answered ${answer.toString('hex')}`);
  return socket;
};
