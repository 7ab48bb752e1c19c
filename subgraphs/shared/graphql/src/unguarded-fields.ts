import { isObjectType, type GraphQLSchema } from 'graphql';

/**
 * Root fields that do not declare the access that they demand (`guarded`). A subgraph has none: every field of its API has
 * an action and a path, as every path of REST has. Those of federation itself begin with an underscore.
 */
export const unguardedFields = (schema: GraphQLSchema): string[] =>
  [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
    isObjectType(type)
      ? Object.values(type.getFields())
          .filter(({ name, resolve, subscribe }) => {
            if (name.startsWith('_')) return false;
            return ![resolve, subscribe].some((each) => each !== undefined && 'access' in each);
          })
          .map(({ name }) => `${type.name}.${name}`)
      : [],
  );
