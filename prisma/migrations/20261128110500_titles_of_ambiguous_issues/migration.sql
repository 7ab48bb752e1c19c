-- the number of matches tells of records that the reader may not know
UPDATE data_issue SET title = 'The event waits for a person to choose its record'
WHERE title = 'The event matches several records';
