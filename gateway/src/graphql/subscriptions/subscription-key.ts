import { stringifyJson } from '@fds/json';
import { Kind, visit, type DocumentNode } from 'graphql';

type Variables = Readonly<Record<string, unknown>>;

/** The variable that is used only for the argument `after`. It does not change the content of a message. */
const cursorVariable = (document: DocumentNode): string | undefined => {
  const uses = new Map<string, number>();
  let cursor: string | undefined;
  visit(document, {
    Argument: ({ name, value }) => {
      if (name.value === 'after' && value.kind === Kind.VARIABLE) cursor = value.name.value;
    },
    VariableDefinition: () => false,
    Variable: ({ name }) => void uses.set(name.value, (uses.get(name.value) ?? 0) + 1),
  });
  return cursor !== undefined && uses.get(cursor) === 1 ? cursor : undefined;
};

/** Equal for subscriptions that send the same messages to the same caller. */
export const subscriptionKey = (
  query: string,
  operationName: string | undefined,
  document: DocumentNode,
  variables: Variables,
): string => {
  const cursor = cursorVariable(document);
  const names = Object.keys(variables)
    .filter((name) => name !== cursor)
    .sort();
  return stringifyJson([operationName ?? '', names.map((name) => [name, variables[name]]), query]);
};
