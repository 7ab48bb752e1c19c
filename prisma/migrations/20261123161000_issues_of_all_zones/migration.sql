-- Managed roles of existing zones may list issues of all their zones as those of new zones do.
INSERT INTO "permission" (uuid, zone_uuid, action, resource, holder_type, holder_uuid)
SELECT gen_random_uuid(), zone_uuid, 'GET', '/issues/*', 'ROLE', uuid
FROM "role" WHERE managed AND name IN ('Root Admin', 'Zone Data Steward')
ON CONFLICT DO NOTHING;
