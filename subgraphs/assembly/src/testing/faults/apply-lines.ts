import type { AssemblyLine, EndLine } from '@fds/assembly-contract';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** RFC 7396, section 2. */
const applyPatch = (target: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return patch;
  const members = new Map<string, unknown>(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, applyPatch(members.get(name), value));
  }
  return Object.fromEntries(members);
};

/** The records and the rest of an answer after a client has applied its lines. */
export const applyLines = (lines: readonly AssemblyLine[]): { readonly records: unknown[]; readonly end: EndLine } => {
  const records: unknown[] = [];
  let end: EndLine | undefined;
  for (const line of lines) {
    if (end !== undefined) throw new Error('a line follows the last one');
    if ('record' in line) records[line.index] = line.record;
    else if ('patch' in line) records[line.index] = applyPatch(records[line.index], line.patch);
    else end = line;
  }
  if (end === undefined) throw new Error('the last line is missing');
  return { records, end };
};
