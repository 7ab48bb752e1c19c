-- The administrators of the deployment may back it up.
INSERT INTO "permission" (uuid, zone_uuid, action, resource, holder_type, holder_uuid)
SELECT gen_random_uuid(), zone_uuid, 'POST', '/backup', 'ROLE', uuid
FROM "role" WHERE managed AND name = 'Root Admin'
ON CONFLICT DO NOTHING;
