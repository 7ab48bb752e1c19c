import type { FaultList } from '@fds/resource-rules';

/** The rules with one of them at another place; the others keep their order. */
export const moveRule = <Rule extends { readonly uuid: string }>(
  rules: readonly Rule[],
  moved: Rule,
  position: number | null | undefined,
  faults: FaultList,
): readonly Rule[] => {
  if (position === null || position === undefined)
    return rules.map((rule) => (rule.uuid === moved.uuid ? moved : rule));
  if (position < 0 || position >= rules.length) {
    faults.add('/position', 'OUT_OF_RANGE', `position must be from 0 to ${rules.length - 1}`);
  }
  const others = rules.filter(({ uuid }) => uuid !== moved.uuid);
  return [...others.slice(0, position), moved, ...others.slice(position)];
};
