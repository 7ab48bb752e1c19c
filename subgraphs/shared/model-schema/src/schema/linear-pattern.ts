import { RE2JS, RE2JSException } from 're2js';
import { translatePattern } from './translate-pattern.js';

/** Time of a match is at most the size of the pattern's program times the length of the text, so both are bounded. */
const maxPatternLength = 1000;
const maxProgramSize = 500;
const maxSteps = 5_000_000;

/** A user's regular expression on an engine whose time grows linearly with the text, for every pattern. */
export interface LinearPattern {
  /** Longest text, in UTF-16 units, that is tested against the pattern: some 10 000 and upward. */
  readonly maxLength: number;
  /** Unanchored, as JSON Schema has it. */
  test(text: string): boolean;
}

interface CompiledPattern {
  readonly pattern: LinearPattern | { readonly fault: string };
  /** Instructions of the program. */
  readonly size: number;
}

const compile = (source: string): CompiledPattern => {
  try {
    const pattern = RE2JS.compile(RE2JS.translateRegExp(translatePattern(source)));
    const size = pattern.programSize();
    if (size > maxProgramSize) {
      const fault = 'the pattern is too large: repeat less, or use minLength and maxLength';
      return { pattern: { fault }, size: 0 };
    }
    const test = (text: string): boolean => pattern.matcher(text).find();
    return { pattern: { maxLength: Math.floor(maxSteps / size), test }, size };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { pattern: { fault: `the pattern cannot be used: ${error.message}` }, size: 0 };
  }
};

/** Measured: an instruction takes some 85 bytes. */
const bytesOfInstruction = 100;
const bytesOfPattern = 500;
/** The largest patterns of one model, of which there are a thousand, fit into it. */
const maxCachedBytes = 64 * 2 ** 20;

interface CachedPattern {
  readonly pattern: LinearPattern | { readonly fault: string };
  readonly bytes: number;
}

/** The patterns that were asked for last, the last one at the end: a pattern is compiled once for all parts and versions. */
const cached = new Map<string, CachedPattern>();
let cachedBytes = 0;

const keep = (source: string, entry: CachedPattern): void => {
  cached.set(source, entry);
  cachedBytes += entry.bytes;
  for (const [oldest, { bytes }] of cached) {
    if (cachedBytes <= maxCachedBytes) return;
    cached.delete(oldest);
    cachedBytes -= bytes;
  }
};

/** Bytes that the cache takes, estimated. */
export const patternCacheBytes = (): number => cachedBytes;

/**
 * Compiles a user's regular expression, which takes up to 4 ms. Look-around and back-references do not exist on such an engine.
 *
 * @returns the pattern, or the sentence that says why it cannot be used
 */
export const compileLinearPattern = (source: string): LinearPattern | { readonly fault: string } => {
  if (source.length > maxPatternLength) return { fault: `a pattern has at most ${maxPatternLength} characters` };
  const known = cached.get(source);
  if (known !== undefined) {
    cached.delete(source);
    cached.set(source, known);
    return known.pattern;
  }
  const { pattern, size } = compile(source);
  keep(source, { pattern, bytes: bytesOfPattern + 2 * source.length + bytesOfInstruction * size });
  return pattern;
};
