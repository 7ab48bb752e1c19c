import { parseJson } from '@fds/json';
import { BrokenFile } from './broken-file.js';
import { createByteBuffer } from './byte-buffer.js';
import { rowFault, type ImportedRow } from './imported-row.js';
import type { RowSplitter, SplitRows } from './row-splitter.js';

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Deeper rows are refused singly; well below what JSON may nest at all. */
const maxDepth = 500;

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const empty = Buffer.alloc(0);

/**
 * Splits a JSON array (RFC 8259) into its elements. It only looks for where they end; each is then parsed exactly. A
 * fault of syntax ends the file, for nothing after it can be trusted.
 */
export const createJsonArraySplitter = (maxRowBytes: number): RowSplitter => {
  const buffer = createByteBuffer(maxRowBytes);
  /** BEFORE the array, after its bracket (FIRST), in an ELEMENT, AFTER the array. */
  let state: 'BEFORE' | 'FIRST' | 'ELEMENT' | 'AFTER' = 'BEFORE';
  let depth = 0;
  let deepest = 0;
  let inString = false;
  let escaped = false;
  let row = 0;
  /** Bytes of the parts before. */
  let offset = 0;

  const brokenAt = (position: number, message: string): BrokenFile =>
    new BrokenFile(message, { code: 'MALFORMED_JSON', position: offset + position, ...(row === 0 ? {} : { row }) });

  /** Looks for the end of an element; returns the length of the part up to the place where it continues. */
  const findEnd = (part: Buffer, from: number): number => {
    for (let at = from; at < part.length; at += 1) {
      const byte = part[at];
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === backslash) escaped = true;
        else if (byte === quote) inString = false;
      } else if (byte === quote) {
        inString = true;
      } else if (byte === openBrace || byte === openBracket) {
        depth += 1;
        if (depth > deepest) deepest = depth;
      } else if (byte === closeBrace || byte === closeBracket) {
        if (depth === 0) return at;
        depth -= 1;
      } else if (byte === comma && depth === 0) {
        return at;
      }
    }
    return part.length;
  };

  const readElement = (text: string | undefined, position: number): ImportedRow | BrokenFile => {
    if (text === undefined) return rowFault(row, 'ROW_TOO_LARGE', `the row has more than ${maxRowBytes} bytes`);
    if (deepest > maxDepth) return rowFault(row, 'TOO_DEEP', `the row nests more than ${maxDepth} levels deep`);
    try {
      return { row, value: parseJson(text) };
    } catch {
      return brokenAt(position, `row ${row} is not JSON`);
    }
  };

  const startElement = (): void => {
    state = 'ELEMENT';
    row += 1;
    deepest = 0;
  };

  /** Goes past the text before and after the array. @returns where an element starts, or the fault of the file */
  const passOutside = (part: Buffer, from: number): number | BrokenFile => {
    let at = from;
    for (; at < part.length && state !== 'ELEMENT'; at += 1) {
      const byte = part[at] ?? 0;
      if (isBlank(byte)) continue;
      if (state === 'AFTER') return brokenAt(at, 'the file continues after its array');
      if (state === 'BEFORE') {
        if (byte !== openBracket) return brokenAt(at, 'the file is not a JSON array');
        state = 'FIRST';
      } else if (byte === closeBracket) {
        state = 'AFTER';
      } else {
        startElement();
        return at;
      }
    }
    return at;
  };

  const push = (part: Buffer): SplitRows => {
    const rows: ImportedRow[] = [];
    let at = 0;
    while (at < part.length) {
      if (state !== 'ELEMENT') {
        const start = passOutside(part, at);
        if (start instanceof BrokenFile) return { rows, broken: start };
        at = start;
        continue;
      }
      const end = findEnd(part, at);
      if (end === part.length) {
        buffer.add(part, at, end);
        break;
      }
      const ender = part[end];
      if (ender === closeBrace) return { rows, broken: brokenAt(end, 'a brace closes what was not opened') };
      const element = readElement(buffer.take(part, at, end), end);
      if (element instanceof BrokenFile) return { rows, broken: element };
      rows.push(element);
      if (ender === comma) startElement();
      else state = 'AFTER';
      at = end + 1;
    }
    offset += part.length;
    return { rows };
  };

  return {
    push,
    end: () => {
      if (state === 'AFTER') return { rows: [] };
      buffer.take(empty, 0, 0);
      return { rows: [], broken: brokenAt(0, 'the file ends before its array does') };
    },
  };
};
