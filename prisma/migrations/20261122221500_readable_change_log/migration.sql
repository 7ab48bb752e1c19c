-- Entries of records and of their issues follow the data; the indexes leave them out, so that a record costs no index entry more.
CREATE INDEX "change_log_resources_idx" ON "change_log"("position") WHERE resource_type NOT IN ('Dr', 'DataIssue');
CREATE INDEX "change_log_zone_idx" ON "change_log"("zone_uuid", "position") WHERE resource_type NOT IN ('Dr', 'DataIssue');
CREATE INDEX "change_log_actor_idx" ON "change_log"("actor_uuid", "position") WHERE resource_type NOT IN ('Dr', 'DataIssue');

-- Managed roles of existing zones may read it as those of new zones do.
INSERT INTO "permission" (uuid, zone_uuid, action, resource, holder_type, holder_uuid)
SELECT gen_random_uuid(), zone_uuid, 'GET',
       CASE name WHEN 'Root Admin' THEN '/change-log' ELSE '/zones/' || zone_uuid || '/change-log' END, 'ROLE', uuid
FROM "role" WHERE managed AND name IN ('Root Admin', 'Zone Admin')
UNION ALL
SELECT gen_random_uuid(), zone_uuid, 'GET', '/zones/?/change-log', 'ROLE', uuid
FROM "role" WHERE managed AND name = 'Root Admin'
ON CONFLICT DO NOTHING;
