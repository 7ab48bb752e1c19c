import type { SourceAccess } from './source-access.js';
import type { CommonAccess } from './common-access.js';

/** Collects the parameters of a statement; answers the place of each. */
interface Parameters {
  add(value: unknown): string;
}

/** Rows of a statement, and which of them may be seen. */
export interface VisibleRows {
  /** SQL of the record's uuid. */
  readonly uuid: string;
  /** SQL of the uuid of the adaptor that has the data, never null; `null`: the server has it. */
  readonly adaptor: string | null;
  /** Properties that a row must show, all of them: those that it is searched and sorted by. In the model's spelling. */
  readonly required: readonly string[];
}

const always = 'true';
const never = 'false';

const writeSource = (
  { common, named, of }: SourceAccess,
  { uuid, required }: VisibleRows,
  parameters: Parameters,
): string => {
  const shows = ({ extent, names }: typeof common): boolean =>
    extent === 'ALL' || (extent === 'SOME' && required.every((name) => names.has(name)));
  const byCommon = shows(common);
  const different = [...named].filter((recordUuid) => shows(of(recordUuid)) !== byCommon);
  if (different.length === 0) return byCommon ? always : never;
  const list = `${parameters.add(different)}::uuid[]`;
  return byCommon ? `(${uuid} <> ALL (${list}))` : `(${uuid} = ANY (${list}))`;
};

/** Writes a condition for the rows that may be seen: `true` for all rows, `false` for none. */
export const writeVisibleRows = (access: CommonAccess, rows: VisibleRows, parameters: Parameters): string => {
  const { adaptor } = rows;
  if (adaptor === null) return writeSource(access.own, rows, parameters);
  const others = writeSource(access.others, rows, parameters);
  const classes = access.classes.map((each) => ({ each, test: writeSource(each.access, rows, parameters) }));
  if (classes.every(({ test }) => test === others) && (others === always || others === never)) return others;
  const cases = classes.map(({ each, test }) =>
    each.kind === 'ADAPTOR'
      ? `WHEN ${adaptor} = ${parameters.add(each.adaptorUuid)}::uuid THEN ${test}`
      : `WHEN ${adaptor} IN (SELECT uuid FROM adaptor WHERE zone_uuid = ${parameters.add(each.zoneUuid)}::uuid) THEN ${test}`,
  );
  return cases.length === 0 ? others : `(CASE ${cases.join(' ')} ELSE ${others} END)`;
};
