/** Reads a progressive answer of POST /request and merges its lines into the plain answer. */
export const applyLines = async (lines: AsyncIterable<string>): Promise<Record<string, unknown>> => {
  const records: unknown[] = [];
  for await (const text of lines) {
    const line = JSON.parse(text) as Record<string, unknown>;
    if ('problem' in line) throw new Error(JSON.stringify(line['problem']));
    if ('record' in line) records[Number(line['index'])] = line['record'];
    else if ('patch' in line) records[Number(line['index'])] = merge(records[Number(line['index'])], line['patch']);
    else return { ...line, assembledDataRecords: records };
  }
  throw new Error('the answer has no end');
};

/** Merges a patch (RFC 7396). */
const merge = (target: unknown, patch: unknown): unknown => {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const merged: Record<string, unknown> = typeof target === 'object' && target !== null ? { ...target } : {};
  for (const [name, value] of Object.entries(patch))
    if (value === null) delete merged[name];
    else merged[name] = merge(merged[name], value);
  return merged;
};
