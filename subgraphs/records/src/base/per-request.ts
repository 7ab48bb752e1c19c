import type { RequestContext } from '@fds/graphql';

/** One value per request, made when it is first asked for: loaders batch and remember for one operation only. */
export const perRequest = <Value>(create: (context: RequestContext) => Value): ((context: RequestContext) => Value) => {
  const values = new WeakMap<RequestContext, Value>();
  return (context) => {
    const known = values.get(context);
    if (known !== undefined) return known;
    const value = create(context);
    values.set(context, value);
    return value;
  };
};
