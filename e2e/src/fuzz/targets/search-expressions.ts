import fc from 'fast-check';
import type { FuzzStage } from '../open-fuzz-stage.js';
import type { FuzzTarget } from '../fuzz-target.js';
import { askHttp } from '../values/ask-http.js';
import { anyText, encodeText } from '../values/hostile-values.js';
import { askGraphql } from '../values/ask-graphql-document.js';

const field = fc.constantFrom('id', 'count', 'share', 'open', 'ID', 'mail', 'inner.text', '_dr', '__proto__', '');

const word = fc.oneof(
  fc.constantFrom('a', '*', '?', 'a*b', '1', '-1', '0.5', 'true', 'a~', 'a~2', 'a~9', '/a.*/', '/(a|b)+$/', '/[/'),
  fc.constantFrom('[1 TO 3]', '{1 TO *}', '[* TO a]', '[a TO', '"a b"', '"a', '\\:', '9223372036854775807', '1e400'),
  anyText,
);

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(field, word).map(([name, value]) => `${name}:${value}`) },
  { weight: 2, arbitrary: word },
  { weight: 3, arbitrary: fc.constantFrom('AND', 'OR', 'NOT', '+', '-', '(', ')', '&&', '||', '!', '^', ':') },
);

const expression = fc.oneof(
  fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(' ')),
  fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join('')),
  anyText,
  fc.tuple(fc.nat({ max: 60 }), piece).map(([depth, inner]) => '('.repeat(depth) + inner + ')'.repeat(depth)),
);

const sort = fc.oneof(fc.constantFrom('id', '-count', 'id,-share', 'mail', ''), anyText);

/** Search expressions and sort orders, by REST and as arguments of record types. */
export const searchExpressions = ({ doors: { service, dgs } }: FuzzStage): FuzzTarget => {
  const byRest = fc.tuple(expression, sort, fc.constantFrom('store', 'federated')).map(([query, order, name]) =>
    askHttp({
      url: `${service.baseUrl}/api/drs?filters=name:${name}&query=${encodeText(query)}&sort=${encodeText(order)}`,
      sent: dgs.token === undefined ? {} : { token: dgs.token },
    }),
  );
  const byGraphql = fc
    .tuple(expression, sort)
    .map(([query, order]) =>
      askGraphql(
        dgs,
        service,
        'query ($query: String, $sort: String) { dr_store_1(query: $query, sort: $sort) { data { id } } }',
        { query, sort: order },
      ),
    );
  return { name: 'search', cases: fc.oneof({ weight: 3, arbitrary: byRest }, { weight: 1, arbitrary: byGraphql }) };
};
