-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "zone" (
    "uuid" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "parent_zone_uuid" UUID,
    "geo_coordinates" TEXT,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_by_uuid" UUID,
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_updated" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "change_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "zone_pkey" PRIMARY KEY ("uuid")
);

-- CreateTable
CREATE TABLE "adaptor_type" (
    "uuid" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "version" TEXT,
    "adaptor_type_label" TEXT,
    "default_metadata" TEXT,
    "zone_uuid" UUID,
    "built_in" BOOLEAN NOT NULL DEFAULT false,
    "created_by_uuid" UUID,
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_updated" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "change_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "adaptor_type_pkey" PRIMARY KEY ("uuid")
);

-- CreateTable
CREATE TABLE "adaptor_type_capability" (
    "adaptor_type_uuid" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "domain_name" TEXT NOT NULL,
    "version_number" INTEGER NOT NULL,
    "action" TEXT NOT NULL,
    "direction" TEXT,

    CONSTRAINT "adaptor_type_capability_pkey" PRIMARY KEY ("adaptor_type_uuid","position")
);

-- CreateTable
CREATE TABLE "adaptor" (
    "uuid" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "adaptor_type_uuid" UUID NOT NULL,
    "zone_uuid" UUID NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'DOWN',
    "state_message" TEXT,
    "discovery_mode" BOOLEAN NOT NULL DEFAULT false,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "inherits_capabilities" BOOLEAN NOT NULL DEFAULT true,
    "metadata" TEXT,
    "created_by_uuid" UUID,
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_updated" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "change_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "adaptor_pkey" PRIMARY KEY ("uuid")
);

-- CreateTable
CREATE TABLE "adaptor_capability" (
    "adaptor_uuid" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "domain_name" TEXT NOT NULL,
    "version_number" INTEGER NOT NULL,
    "action" TEXT NOT NULL,
    "direction" TEXT,

    CONSTRAINT "adaptor_capability_pkey" PRIMARY KEY ("adaptor_uuid","position")
);

-- CreateTable
CREATE TABLE "adaptor_registration" (
    "adaptor_uuid" UUID NOT NULL,
    "sealed_secret" TEXT NOT NULL,
    "previous_sealed_secret" TEXT,
    "previous_until" TIMESTAMPTZ(3),

    CONSTRAINT "adaptor_registration_pkey" PRIMARY KEY ("adaptor_uuid")
);

-- CreateTable
CREATE TABLE "domain" (
    "uuid" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "name_key" TEXT NOT NULL,
    "description" TEXT,
    "domain_type" TEXT NOT NULL,
    "zone_uuid" UUID NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "default_version_uuid" UUID,
    "created_by_uuid" UUID,
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_updated" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "change_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "domain_pkey" PRIMARY KEY ("uuid")
);

-- CreateTable
CREATE TABLE "domain_version" (
    "uuid" UUID NOT NULL,
    "domain_uuid" UUID NOT NULL,
    "version_number" INTEGER NOT NULL,
    "description" TEXT,
    "model_schema" TEXT NOT NULL,
    "dr_key_properties" TEXT[],
    "matching_algorithm" TEXT,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_by_uuid" UUID,
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_updated" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "change_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "domain_version_pkey" PRIMARY KEY ("uuid")
);

-- CreateTable
CREATE TABLE "domain_version_property" (
    "uuid" UUID NOT NULL,
    "domain_version_uuid" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,

    CONSTRAINT "domain_version_property_pkey" PRIMARY KEY ("uuid")
);

-- CreateTable
CREATE TABLE "person" (
    "uuid" UUID NOT NULL,
    "username" TEXT NOT NULL,
    "sso_id" TEXT,
    "name" TEXT,
    "email" TEXT,
    "service_account" BOOLEAN NOT NULL DEFAULT false,
    "secret_hash" TEXT,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "tokens_valid_from" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_updated" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "change_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "person_pkey" PRIMARY KEY ("uuid")
);

-- CreateTable
CREATE TABLE "zone_user" (
    "uuid" UUID NOT NULL,
    "person_uuid" UUID NOT NULL,
    "zone_uuid" UUID NOT NULL,
    "default_zone" BOOLEAN NOT NULL DEFAULT false,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_updated" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "change_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "zone_user_pkey" PRIMARY KEY ("uuid")
);

-- CreateTable
CREATE TABLE "role" (
    "uuid" UUID NOT NULL,
    "zone_uuid" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "managed" BOOLEAN NOT NULL DEFAULT false,
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_updated" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "change_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "role_pkey" PRIMARY KEY ("uuid")
);

-- CreateTable
CREATE TABLE "role_member" (
    "role_uuid" UUID NOT NULL,
    "zone_user_uuid" UUID NOT NULL,

    CONSTRAINT "role_member_pkey" PRIMARY KEY ("role_uuid","zone_user_uuid")
);

-- CreateTable
CREATE TABLE "permission" (
    "uuid" UUID NOT NULL,
    "zone_uuid" UUID NOT NULL,
    "action" TEXT NOT NULL,
    "resource" TEXT NOT NULL,
    "holder_type" TEXT NOT NULL,
    "holder_uuid" UUID NOT NULL,
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_updated" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "change_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "permission_pkey" PRIMARY KEY ("uuid")
);

-- CreateTable
CREATE TABLE "zone_acl" (
    "uuid" UUID NOT NULL,
    "zone_uuid" UUID NOT NULL,
    "chain" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "name" TEXT,
    "source_zone_uuid" UUID,
    "source_adaptor_uuid" UUID,
    "destination_zone_uuid" UUID,
    "destination_adaptor_uuid" UUID,
    "domain_version_uuid" UUID,
    "properties" TEXT[],
    "get" TEXT,
    "post" TEXT,
    "put" TEXT,
    "delete" TEXT,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_updated" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "change_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "zone_acl_pkey" PRIMARY KEY ("uuid")
);

-- CreateTable
CREATE TABLE "change_log" (
    "position" BIGSERIAL NOT NULL,
    "transaction_id" xid8 NOT NULL DEFAULT pg_current_xact_id(),
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "action" TEXT NOT NULL,
    "resource_type" TEXT NOT NULL,
    "resource" TEXT NOT NULL,
    "resource_uuid" UUID,
    "zone_uuid" UUID,
    "actor_uuid" UUID,
    "data" TEXT,

    CONSTRAINT "change_log_pkey" PRIMARY KEY ("position")
);

-- CreateTable
CREATE TABLE "oidc_artifact" (
    "model" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "grant_id" TEXT,
    "user_code" TEXT,
    "uid" TEXT,
    "expires_at" TIMESTAMPTZ(3),
    "consumed_at" TIMESTAMPTZ(3),

    CONSTRAINT "oidc_artifact_pkey" PRIMARY KEY ("model","id")
);

-- CreateTable
CREATE TABLE "signing_key" (
    "kid" TEXT NOT NULL,
    "algorithm" TEXT NOT NULL,
    "sealed_jwk" TEXT NOT NULL,
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "signs_from" TIMESTAMPTZ(3) NOT NULL,
    "retire_at" TIMESTAMPTZ(3),

    CONSTRAINT "signing_key_pkey" PRIMARY KEY ("kid")
);

-- CreateTable
CREATE TABLE "data_record" (
    "uuid" UUID NOT NULL,
    "domain_version_uuid" UUID NOT NULL,
    "key_digest" BYTEA NOT NULL,
    "dr_key" JSONB NOT NULL,
    "json" JSONB,
    "created_by_uuid" UUID,
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_updated" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "change_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "data_record_pkey" PRIMARY KEY ("uuid")
);

-- CreateTable
CREATE TABLE "record_link" (
    "record_uuid" UUID NOT NULL,
    "adaptor_uuid" UUID NOT NULL,
    "domain_version_uuid" UUID NOT NULL,
    "key_digest" BYTEA NOT NULL,
    "dr_key" JSONB NOT NULL,
    "known_content" JSONB NOT NULL,
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_updated" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "record_link_pkey" PRIMARY KEY ("record_uuid","adaptor_uuid")
);

-- CreateTable
CREATE TABLE "adaptor_channel" (
    "adaptor_uuid" UUID NOT NULL,
    "down_epoch" UUID NOT NULL,
    "down_sequence" BIGINT NOT NULL DEFAULT 0,
    "down_acked" BIGINT NOT NULL DEFAULT 0,
    "up_epoch" UUID,
    "up_applied" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "adaptor_channel_pkey" PRIMARY KEY ("adaptor_uuid")
);

-- CreateTable
CREATE TABLE "data_event" (
    "uuid" UUID NOT NULL,
    "transaction_uuid" UUID NOT NULL,
    "action" TEXT NOT NULL,
    "match_status" TEXT,
    "record_uuid" UUID,
    "domain_version_uuid" UUID NOT NULL,
    "source_adaptor_uuid" UUID,
    "dr_key" JSONB NOT NULL,
    "denied" JSONB,
    "create_time" TIMESTAMPTZ(3) NOT NULL,
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "data_event_pkey" PRIMARY KEY ("uuid")
);

-- CreateTable
CREATE TABLE "delivery" (
    "adaptor_uuid" UUID NOT NULL,
    "sequence" BIGINT NOT NULL,
    "event_uuid" UUID NOT NULL,
    "record_uuid" UUID NOT NULL,
    "action" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'QUEUED',
    "removed_properties" TEXT[],
    "message" TEXT,
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "delivery_pkey" PRIMARY KEY ("adaptor_uuid","sequence")
);

-- CreateTable
CREATE TABLE "data_issue" (
    "uuid" UUID NOT NULL,
    "type" TEXT NOT NULL DEFAULT 'DATA_EVENT_EXCEPTION',
    "status" TEXT NOT NULL DEFAULT 'OPEN',
    "issue_priority" TEXT NOT NULL DEFAULT 'MEDIUM',
    "title" TEXT NOT NULL,
    "description" TEXT,
    "exception" TEXT,
    "match_status" TEXT,
    "zone_uuid" UUID,
    "adaptor_uuid" UUID,
    "domain_version_uuid" UUID,
    "record_uuid" UUID,
    "data_event" TEXT,
    "errors" TEXT,
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_updated" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "change_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "data_issue_pkey" PRIMARY KEY ("uuid")
);

-- CreateTable
CREATE TABLE "relay_lease" (
    "adaptor_uuid" UUID NOT NULL,
    "owner" UUID NOT NULL,
    "fence" BIGINT NOT NULL DEFAULT 1,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "relay_lease_pkey" PRIMARY KEY ("adaptor_uuid")
);

-- CreateIndex
CREATE INDEX "zone_parent_zone_uuid_idx" ON "zone"("parent_zone_uuid");

-- CreateIndex
CREATE UNIQUE INDEX "adaptor_type_name_key" ON "adaptor_type"("name");

-- CreateIndex
CREATE INDEX "adaptor_zone_uuid_idx" ON "adaptor"("zone_uuid");

-- CreateIndex
CREATE INDEX "adaptor_adaptor_type_uuid_idx" ON "adaptor"("adaptor_type_uuid");

-- CreateIndex
CREATE UNIQUE INDEX "domain_name_key_key" ON "domain"("name_key");

-- CreateIndex
CREATE INDEX "domain_zone_uuid_idx" ON "domain"("zone_uuid");

-- CreateIndex
CREATE UNIQUE INDEX "domain_version_domain_uuid_version_number_key" ON "domain_version"("domain_uuid", "version_number");

-- CreateIndex
CREATE UNIQUE INDEX "domain_version_property_domain_version_uuid_name_key" ON "domain_version_property"("domain_version_uuid", "name");

-- CreateIndex
CREATE UNIQUE INDEX "person_username_key" ON "person"("username");

-- CreateIndex
CREATE UNIQUE INDEX "person_sso_id_key" ON "person"("sso_id");

-- CreateIndex
CREATE INDEX "zone_user_zone_uuid_idx" ON "zone_user"("zone_uuid");

-- CreateIndex
CREATE UNIQUE INDEX "zone_user_person_uuid_zone_uuid_key" ON "zone_user"("person_uuid", "zone_uuid");

-- CreateIndex
CREATE UNIQUE INDEX "role_zone_uuid_name_key" ON "role"("zone_uuid", "name");

-- CreateIndex
CREATE INDEX "role_member_zone_user_uuid_idx" ON "role_member"("zone_user_uuid");

-- CreateIndex
CREATE UNIQUE INDEX "permission_holder_uuid_action_resource_key" ON "permission"("holder_uuid", "action", "resource");

-- CreateIndex
CREATE INDEX "zone_acl_zone_uuid_chain_position_idx" ON "zone_acl"("zone_uuid", "chain", "position");

-- CreateIndex
CREATE INDEX "oidc_artifact_grant_id_idx" ON "oidc_artifact"("grant_id");

-- CreateIndex
CREATE INDEX "oidc_artifact_uid_idx" ON "oidc_artifact"("uid");

-- CreateIndex
CREATE INDEX "oidc_artifact_expires_at_idx" ON "oidc_artifact"("expires_at");

-- CreateIndex
CREATE INDEX "data_record_domain_version_uuid_uuid_idx" ON "data_record"("domain_version_uuid", "uuid");

-- CreateIndex
CREATE UNIQUE INDEX "data_record_domain_version_uuid_key_digest_key" ON "data_record"("domain_version_uuid", "key_digest");

-- CreateIndex
CREATE INDEX "record_link_domain_version_uuid_key_digest_idx" ON "record_link"("domain_version_uuid", "key_digest");

-- CreateIndex
CREATE INDEX "record_link_adaptor_uuid_idx" ON "record_link"("adaptor_uuid");

-- CreateIndex
CREATE UNIQUE INDEX "record_link_domain_version_uuid_adaptor_uuid_key_digest_key" ON "record_link"("domain_version_uuid", "adaptor_uuid", "key_digest");

-- CreateIndex
CREATE INDEX "data_event_record_uuid_uuid_idx" ON "data_event"("record_uuid", "uuid");

-- CreateIndex
CREATE INDEX "delivery_event_uuid_idx" ON "delivery"("event_uuid");

-- CreateIndex
CREATE INDEX "data_issue_adaptor_uuid_status_idx" ON "data_issue"("adaptor_uuid", "status");

-- CreateIndex
CREATE INDEX "data_issue_zone_uuid_status_idx" ON "data_issue"("zone_uuid", "status");

-- AddForeignKey
ALTER TABLE "zone" ADD CONSTRAINT "zone_parent_zone_uuid_fkey" FOREIGN KEY ("parent_zone_uuid") REFERENCES "zone"("uuid") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "adaptor_type_capability" ADD CONSTRAINT "adaptor_type_capability_adaptor_type_uuid_fkey" FOREIGN KEY ("adaptor_type_uuid") REFERENCES "adaptor_type"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "adaptor" ADD CONSTRAINT "adaptor_zone_uuid_fkey" FOREIGN KEY ("zone_uuid") REFERENCES "zone"("uuid") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "adaptor" ADD CONSTRAINT "adaptor_adaptor_type_uuid_fkey" FOREIGN KEY ("adaptor_type_uuid") REFERENCES "adaptor_type"("uuid") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "adaptor_capability" ADD CONSTRAINT "adaptor_capability_adaptor_uuid_fkey" FOREIGN KEY ("adaptor_uuid") REFERENCES "adaptor"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "adaptor_registration" ADD CONSTRAINT "adaptor_registration_adaptor_uuid_fkey" FOREIGN KEY ("adaptor_uuid") REFERENCES "adaptor"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "domain" ADD CONSTRAINT "domain_zone_uuid_fkey" FOREIGN KEY ("zone_uuid") REFERENCES "zone"("uuid") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "domain_version" ADD CONSTRAINT "domain_version_domain_uuid_fkey" FOREIGN KEY ("domain_uuid") REFERENCES "domain"("uuid") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "domain_version_property" ADD CONSTRAINT "domain_version_property_domain_version_uuid_fkey" FOREIGN KEY ("domain_version_uuid") REFERENCES "domain_version"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "zone_user" ADD CONSTRAINT "zone_user_person_uuid_fkey" FOREIGN KEY ("person_uuid") REFERENCES "person"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "role_member" ADD CONSTRAINT "role_member_role_uuid_fkey" FOREIGN KEY ("role_uuid") REFERENCES "role"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "role_member" ADD CONSTRAINT "role_member_zone_user_uuid_fkey" FOREIGN KEY ("zone_user_uuid") REFERENCES "zone_user"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "record_link" ADD CONSTRAINT "record_link_record_uuid_fkey" FOREIGN KEY ("record_uuid") REFERENCES "data_record"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;



-- What Prisma's schema language cannot say ---------------------------------------------------------------------------

-- a zone's name is unique among its siblings, the root zones being siblings of each other
CREATE UNIQUE INDEX "zone_sibling_name_key" ON "zone" ("parent_zone_uuid", lower("name")) NULLS NOT DISTINCT;

-- wakes the readers of the change log; they read by cursor, so a lost or repeated wake-up does no harm
CREATE FUNCTION fds_change_log_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('fds_change_log', '');
  RETURN NULL;
END $$;
CREATE TRIGGER change_log_notify AFTER INSERT ON "change_log" FOR EACH STATEMENT EXECUTE FUNCTION fds_change_log_notify();

-- same for the relay of each adaptor's queue
CREATE FUNCTION fds_delivery_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('fds_delivery', '');
  RETURN NULL;
END $$;
CREATE TRIGGER delivery_notify AFTER INSERT ON "delivery" FOR EACH STATEMENT EXECUTE FUNCTION fds_delivery_notify();

-- delivered rows lose their content in place
ALTER TABLE "delivery" SET (fillfactor = 70);
ALTER TABLE "adaptor_channel" SET (fillfactor = 50);
