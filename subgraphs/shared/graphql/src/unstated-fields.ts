import type { Endpoints } from '@fds/access-rules';
import { getNamedType, isObjectType, type GraphQLField, type GraphQLSchema } from 'graphql';
import type { GuardedResolver } from './guarded.js';

const placeholder = /\{(\w+Uuid)\}/g;

type Field = GraphQLField<unknown, unknown>;

const accessesOf = ({ resolve, subscribe }: Field) =>
  [resolve, subscribe].flatMap((each) =>
    each !== undefined && 'access' in each ? [(each as GuardedResolver<object>).access] : [],
  );

/** Does every argument that fills a placeholder for UUIDs accept nothing else? */
const takesUuids = ({ args }: Field, path: string): boolean =>
  [...path.matchAll(placeholder)].every(([, name]) => {
    const argument = args.find((each) => each.name === name);
    return argument === undefined || getNamedType(argument.type).name === 'Uuid';
  });

/**
 * Root fields that demand a permission which no endpoint states. A subgraph has none: a caller who grants a pattern must
 * hold the endpoints that it reaches (docs/reference/access.md#permissions), so every caller could grant a permission
 * without an endpoint.
 */
export const unstatedFields = (schema: GraphQLSchema, endpoints: Endpoints): string[] =>
  [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
    isObjectType(type)
      ? Object.values(type.getFields()).flatMap((field: Field) =>
          accessesOf(field).flatMap(({ action, resource, narrower = [] }) =>
            [resource, ...narrower]
              .filter((path) => !endpoints.state({ action, path }) || !takesUuids(field, path))
              .map((path) => `${type.name}.${field.name} ${action} ${path}`),
          ),
        )
      : [],
  );
