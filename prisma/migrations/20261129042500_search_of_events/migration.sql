-- Stewards of existing zones may search data events as those of new zones may.
INSERT INTO "permission" (uuid, zone_uuid, action, resource, holder_type, holder_uuid)
SELECT gen_random_uuid(), zone_uuid, 'GET', '/data-events/*', 'ROLE', uuid
FROM "role" WHERE managed AND name = 'Zone Data Steward'
ON CONFLICT DO NOTHING;
