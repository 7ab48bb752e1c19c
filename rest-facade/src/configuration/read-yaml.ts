import type { JsonValue } from '@fds/json';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type ParsedNode } from 'yaml';
import type { RefusalCause } from './rest-client.js';

/** One document of a YAML text. */
export interface YamlDocument {
  readonly value: JsonValue;
  /** The line, from 1, of the value at a pointer, or of the nearest value around it. */
  lineOf(pointer: string): number;
}

export interface YamlText {
  readonly documents: readonly YamlDocument[];
  /** Pointers start with the index of the document. A text with faults has no documents. */
  readonly faults: readonly (RefusalCause & { readonly line: number })[];
}

const maxDepth = 64;
/** A larger document is refused: to read it would keep other work waiting. */
const maxDocumentCharacters = 2 ** 20;
const maxFaults = 100;

interface Piece {
  readonly text: string;
  /** Lines before it. */
  readonly lines: number;
}

/** The documents of a text: a line that begins with `---` ends the one before it, everywhere. */
const split = (text: string): readonly Piece[] => {
  const pieces: Piece[] = [];
  let lines: string[] = [];
  let start = 0;
  const all = text.split(/\r\n|\r|\n/);
  all.forEach((line, at) => {
    if (/^---(?:\s|$)/.test(line) && lines.some((each) => /^\s*[^\s#%]/.test(each))) {
      pieces.push({ text: lines.join('\n'), lines: start });
      lines = [];
      start = at;
    }
    lines.push(line);
  });
  pieces.push({ text: lines.join('\n'), lines: start });
  return pieces;
};

const toInteger = (value: bigint): number | bigint => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
};

class Converter {
  readonly faults: (RefusalCause & { readonly line: number })[] = [];

  constructor(
    private readonly index: number,
    private readonly lineAt: (offset: number) => number,
  ) {}

  fault(pointer: string, code: string, detail: string, offset: number): undefined {
    if (this.faults.length < maxFaults)
      this.faults.push({ pointer: `/${this.index}${pointer}`, code, detail, line: this.lineAt(offset) });
    return undefined;
  }

  value(node: ParsedNode | null, pointer: string, depth: number): JsonValue | undefined {
    if (node === null) return null;
    const [offset] = node.range;
    if (depth > maxDepth) return this.fault(pointer, 'TOO_DEEP', `a document has at most ${maxDepth} levels`, offset);
    if (isAlias(node)) return this.fault(pointer, 'ALIAS', `*${node.source}: a document has no aliases`, offset);
    // the library sets the tag of a node only when the text names one
    if (node.tag !== undefined) return this.fault(pointer, 'TAG', `${node.tag}: a document has no tags`, offset);
    if (isScalar(node)) return this.scalar(node.value, pointer, offset);
    if (isSeq(node)) {
      const items = node.items as (ParsedNode | null)[];
      return items.map((item, at) => this.value(item, `${pointer}/${at}`, depth + 1) ?? null);
    }
    const members: [string, JsonValue][] = [];
    const names = new Set<string>();
    for (const { key, value } of isMap(node) ? node.items : []) {
      const name: unknown = isScalar(key) ? key.value : undefined;
      const place = key?.range[0] ?? offset;
      if (typeof name !== 'string') {
        this.fault(pointer, 'NAME', 'the name of a member is text', place);
      } else if (name === '<<') {
        this.fault(pointer, 'MERGE_KEY', '<<: a document has no merge keys', place);
      } else if (names.has(name)) {
        this.fault(`${pointer}/${toSegment(name)}`, 'DUPLICATE_MEMBER', `${name} is given twice`, place);
      } else {
        names.add(name);
        const at = `${pointer}/${toSegment(name)}`;
        if (isScalar(key) && key.tag !== undefined) this.fault(at, 'TAG', 'a document has no tags', place);
        members.push([name, this.value(value, at, depth + 1) ?? null]);
      }
    }
    return Object.fromEntries(members);
  }

  private scalar(value: unknown, pointer: string, offset: number): JsonValue | undefined {
    if (typeof value === 'bigint') return toInteger(value);
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    return this.fault(pointer, 'NUMBER', 'a number is finite', offset);
  }
}

const toSegment = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const ofSegment = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');

/** Where the value of a pointer begins in the text, or the nearest value around it. */
const offsetOf = ({ contents }: Document.Parsed, pointer: string): number => {
  let node: ParsedNode | null = contents;
  let offset = node?.range[0] ?? 0;
  for (const segment of pointer.split('/').slice(1).map(ofSegment)) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === segment);
      if (pair === undefined) return offset;
      offset = (pair.key as ParsedNode | null)?.range[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(segment)] ?? null;
      offset = node?.range[0] ?? offset;
    } else return offset;
  }
  return offset;
};

const parse = (piece: Piece, lineCounter: LineCounter): Document.Parsed =>
  parseDocument(piece.text, {
    lineCounter,
    intAsBigInt: true,
    // duplicates are looked for in one pass: the library compares all pairs of keys
    uniqueKeys: false,
    merge: false,
    logLevel: 'silent',
    prettyErrors: false,
  });

/**
 * Reads YAML as JSON values: without aliases, tags, merge keys and duplicate members. Integers keep all digits.
 *
 * @param giveWay is awaited before each document, so that other work continues
 */
export const readYaml = async (text: string, giveWay: () => Promise<void>): Promise<YamlText> => {
  const documents: YamlDocument[] = [];
  const faults: (RefusalCause & { readonly line: number })[] = [];
  for (const piece of split(text)) {
    await giveWay();
    const index = documents.length;
    const lineCounter = new LineCounter();
    const lineAt = (offset: number): number => piece.lines + Math.max(1, lineCounter.linePos(offset).line);
    const converter = new Converter(index, lineAt);
    try {
      if (piece.text.length > maxDocumentCharacters) {
        converter.fault('', 'TOO_LARGE', `a document has at most ${maxDocumentCharacters} characters`, 0);
      } else {
        const document = parse(piece, lineCounter);
        for (const { message, pos } of document.errors)
          converter.fault('', 'YAML', message.split('\n', 1)[0] ?? '', pos[0]);
        const value = converter.faults.length > 0 ? undefined : converter.value(document.contents, '', 0);
        // a piece with comments only is not a document
        if (value !== null && value !== undefined)
          documents.push({ value, lineOf: (pointer) => lineAt(offsetOf(document, pointer)) });
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      converter.fault('', 'TOO_DEEP', `a document has at most ${maxDepth} levels`, 0);
    }
    faults.push(...converter.faults.slice(0, maxFaults - faults.length));
  }
  return faults.length > 0 ? { documents: [], faults } : { documents, faults };
};
