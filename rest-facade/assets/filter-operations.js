// Filters operations by everything that a reader may know of them; Swagger UI itself filters the names of groups only.

const textOf = (operation, tag) =>
  [
    tag,
    operation.get('method'),
    operation.get('path'),
    operation.getIn(['operation', 'summary']),
    operation.getIn(['operation', 'operationId']),
  ]
    .join(' ')
    .toLowerCase();

/** The groups with the operations that have every word of the phrase. */
const opsFilter = (taggedOperations, phrase) => {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
  return taggedOperations
    .map((group, tag) =>
      group.update('operations', (operations) =>
        operations.filter((operation) => words.every((word) => textOf(operation, tag).includes(word))),
      ),
    )
    .filter((group) => group.get('operations').size > 0);
};

/** A plugin of Swagger UI. Groups open while something is filtered. */
export const filterOperations = () => ({
  fn: { opsFilter },
  statePlugins: {
    layout: {
      wrapActions: {
        updateFilter: (update, system) => (phrase) => {
          const groups = system.specSelectors.taggedOperations().keySeq().toArray();
          for (const tag of groups) system.layoutActions.show(['operations-tag', tag], phrase !== '');
          return update(phrase);
        },
      },
    },
  },
});
