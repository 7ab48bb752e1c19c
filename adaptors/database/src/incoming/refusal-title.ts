import type { TableMetadata } from '../configuration/table-metadata.js';

/** The members of a driver's error that describe a refusal. */
export interface DriverError {
  readonly message: string;
  /** SQLSTATE, or the code of the driver. */
  readonly code: string;
  /** Column and constraint, as PostgreSQL names them. */
  readonly column?: string | undefined;
  readonly constraint?: string | undefined;
  readonly detail?: string | undefined;
}

/** The cause of a refusal for a steward, and the properties that it concerns. */
export interface Explained {
  readonly title: string;
  readonly properties: readonly string[];
}

/** Columns that a message names: `Key (a, b)=(...)`, `column "a"`, `Column 'a'`, `thing.a`. */
const columnsIn = ({ column, detail, message }: DriverError): readonly string[] => {
  if (column !== undefined) return [column];
  const key = /^Key \(([^)]*)\)=/.exec(detail ?? '')?.[1];
  if (key !== undefined) return key.split(', ').map((name) => name.replaceAll('"', ''));
  const constraint = /constraint failed: ([^:]+)$/.exec(message)?.[1];
  if (constraint !== undefined) return constraint.split(', ').map((name) => name.replace(/^.*\./, ''));
  const [, inColumn, inField] = /[Cc]olumn [`'"]?([^\s`'",]+)|[Ff]ield '([^']+)'/.exec(message) ?? [];
  return [inColumn ?? inField ?? []].flat();
};

const one = (names: string, none: string): string => (names === '' ? none : names);

type Reason = readonly [pattern: RegExp, reason: (names: string, error: DriverError) => string];

/** SQLSTATE and codes of drivers, each with its reason. The first one that fits counts. */
const reasons: readonly Reason[] = [
  [
    /^(23502|ER_BAD_NULL_ERROR|ER_NO_DEFAULT_FOR_FIELD|SQLITE_CONSTRAINT_NOTNULL|MSSQL_515|ORA-0140[07])$/,
    (names) => `${one(names, 'a value')} must not be empty`,
  ],
  [
    /^(23505|ER_DUP_ENTRY\w*|SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)|MSSQL_26(01|27)|ORA-00001)$/,
    (names) => `another row already has this value of ${one(names, 'a unique key')}`,
  ],
  [
    /^(23503|ER_(NO_REFERENCED_ROW|ROW_IS_REFERENCED)\w*|SQLITE_CONSTRAINT_FOREIGNKEY|MSSQL_547|ORA-0229[12])$/,
    (names) => `a row that ${one(names, 'it')} refers to does not exist, or another row refers to it`,
  ],
  [/^23P01$/, () => 'it conflicts with another row'],
  [
    /^(23514|ER_CONSTRAINT_FAILED|MYSQL_4025|ER_CHECK_CONSTRAINT_VIOLATED|SQLITE_CONSTRAINT_CHECK|ORA-02290)$/,
    (_, { constraint, message }) =>
      /no partition/.test(message)
        ? 'no partition of the table takes it'
        : `a rule of the table is not met${constraint === undefined ? '' : `: ${constraint}`}`,
  ],
  [/^ER_NO_PARTITION_FOR_GIVEN_VALUE$/, () => 'no partition of the table takes it'],
  [
    /^(22001|ER_DATA_TOO_LONG|MSSQL_(2628|8152)|ORA-12899)$/,
    (names) => `the text of ${one(names, 'a column')} is too long`,
  ],
  [
    /^(22003|ER_WARN_DATA_OUT_OF_RANGE\w*|MSSQL_(220|8115)|ORA-01438)$/,
    (names) => `the number of ${one(names, 'a column')} is out of range`,
  ],
  [
    /^(WARN_DATA_TRUNCATED|22P02|22007|22008|ER_TRUNCATED_WRONG_VALUE\w*)$/,
    (names) => `${one(names, 'a column')} cannot hold the value`,
  ],
  [
    /^(428C9|MYSQL_1906|SQLITE_GENERATED_COLUMN|ER_\w*GENERATED_COLUMN\w*)$/,
    (names) => `the database computes ${one(names, 'a column')} itself: set updatable and insertable to false`,
  ],
  [
    /^22(021|P05)$/,
    (_, { message }) =>
      /0x00|unsupported Unicode escape/.test(message)
        ? 'a text contains the character U+0000, which PostgreSQL does not store'
        : 'the encoding of the database lacks a character of a text',
  ],
  [/^(44000|ER_VIEW_CHECK_FAILED)$/, () => 'the view does not show such a row'],
];

const maxCharacters = 300;

/** The reason of a refusal, in words that a steward understands. Without a known code: the text of the database. */
export const explainRefusal = (error: DriverError, metadata: TableMetadata | undefined): Explained => {
  const columns = columnsIn(error);
  const properties = columns.flatMap((column) => metadata?.dataColumns[column]?.source ?? []);
  const found = reasons.find(([pattern]) => pattern.test(error.code));
  const [firstLine = ''] = error.message.split('\n');
  const reason = found?.[1](columns.join(', '), error) ?? firstLine.slice(0, maxCharacters);
  return { title: `The database refused the row: ${reason}`, properties };
};
