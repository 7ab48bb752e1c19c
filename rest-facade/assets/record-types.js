// Links from record types to their example queries in GraphiQL.

/** Shows a link for each record type; none: the place stays hidden. */
export const showRecordTypes = (names) => {
  const place = document.getElementById('record-types');
  const links = names.map((name) => {
    const link = document.createElement('a');
    link.href = `/graphql?recordType=${encodeURIComponent(name)}`;
    link.textContent = name;
    return link;
  });
  place.replaceChildren('Example queries:', ...links);
  place.hidden = links.length === 0;
};
