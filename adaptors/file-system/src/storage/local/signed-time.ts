import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

const microsPerSecond = 1_000_000;
const nanosPerSecond = 1_000_000_000n;

/** The part of a second that marks a file as a copy of an adaptor. It follows from the facts of the file. */
const signature = (ino: bigint, size: bigint, second: bigint): number =>
  createHash('sha256').update(`fds ${ino} ${size} ${second}`).digest().readUInt32BE() % microsPerSecond;

/**
 * Sets the time of a copy so that an adaptor that lost its state recognises it. Every program that writes the file sets
 * another time, and a copy of the file has another inode. One of a million other files is recognised by mistake. A file
 * system with coarse times or without the right to set them has no such files.
 */
export const signTime = async (copy: FileHandle, nowMs: number): Promise<void> => {
  const { ino, size } = await copy.stat({ bigint: true });
  // not in the future
  const second = Math.floor(nowMs / 1_000) - 1;
  const time = second + (signature(ino, size, BigInt(second)) + 0.5) / microsPerSecond;
  await copy.utimes(time, time).catch(() => undefined);
};

/** Has the file the time that `signTime` gave it? */
export const hasSignedTime = ({ ino, size, mtimeNs }: BigIntStats): boolean => {
  if (mtimeNs < 0n) return false;
  const micros = Number(mtimeNs % nanosPerSecond) / 1_000;
  // the system rounds the time that it is given
  return Math.abs(micros - signature(ino, size, mtimeNs / nanosPerSecond)) <= 1;
};
