-- The data stewards of a zone have the data of the zone: what its adaptors hold, and what the server holds of domains it owns.
-- Roles that were given rules keep them; Root's data stewards keep the data of the deployment.
INSERT INTO "data_access_rule" ("uuid", "role_uuid", "position", "effect", "actions", "zone_uuid", "properties", "dr_uuids")
SELECT
    -- a random UUID with the time in front: version 7
    encode(
        set_bit(set_bit(
            overlay(uuid_send(gen_random_uuid())
                PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
            52, 1), 53, 1),
        'hex')::uuid,
    "role"."uuid", 0, 'ALLOW', '{}', "role"."zone_uuid", '{}', '{}'
FROM "role"
WHERE "role"."managed" AND "role"."name" = 'Zone Data Steward'
  AND NOT EXISTS (SELECT FROM "data_access_rule" AS rule WHERE rule."role_uuid" = "role"."uuid")
  AND NOT EXISTS (
      SELECT FROM "role" AS root
      WHERE root."zone_uuid" = "role"."zone_uuid" AND root."managed" AND root."name" = 'Root Admin');
