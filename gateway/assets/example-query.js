// An example query of a record type, from the schema as the caller sees it.
const maxDepth = 5;
const indent = (depth) => '  '.repeat(depth);

const typeQuery = `query ($name: String!) {
  __type(name: $name) { fields { name type { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } }
}`;

const namedTypeOf = ({ ofType, ...type }) => (ofType ? namedTypeOf(ofType) : type);

const readFields = async (name, fetcher) => {
  const { data } = await fetcher({ query: typeQuery, variables: { name } });
  return (data?.__type?.fields ?? []).map((field) => ({ name: field.name, type: namedTypeOf(field.type) }));
};

/** Lines of a selection. Records that are referred to show their plain properties only. */
const selectionOf = async (typeName, fetcher, depth, isReferred = false) => {
  const lines = [];
  for (const { name, type } of await readFields(typeName, fetcher)) {
    if (name === '_dr') {
      if (!isReferred) lines.push(`${indent(depth)}_dr { uuid dateCreated }`);
    } else if (type.kind !== 'OBJECT') {
      lines.push(`${indent(depth)}${name}`);
    } else if (!isReferred && depth <= maxDepth) {
      const isRecord = !type.name.includes('__');
      const inner = await selectionOf(type.name, fetcher, depth + 1, isRecord);
      if (inner.length > 0) lines.push(`${indent(depth)}${name} {`, ...inner, `${indent(depth)}}`);
    }
  }
  return lines;
};

/** @param fetcher sends an operation as the caller, and gives its answer */
export const exampleQueryOf = async (recordType, fetcher) =>
  [
    '{',
    `  ${recordType}(size: 10) {`,
    '    data {',
    ...(await selectionOf(recordType, fetcher, 3)),
    '    }',
    '    page { totalElements }',
    '  }',
    '}',
    '',
  ].join('\n');
