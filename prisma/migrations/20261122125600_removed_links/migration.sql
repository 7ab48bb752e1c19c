-- CreateTable
CREATE TABLE "removed_link" (
    "domain_version_uuid" UUID NOT NULL,
    "key_digest" BYTEA NOT NULL,
    "adaptor_uuid" UUID NOT NULL,
    "record_uuid" UUID NOT NULL,
    "known_content" JSONB NOT NULL,
    "last_sequence" BIGINT NOT NULL,
    "date_removed" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "removed_link_pkey" PRIMARY KEY ("domain_version_uuid","key_digest","adaptor_uuid")
);

INSERT INTO "retention_progress" ("subject", "rests_until") VALUES ('REMOVED_LINKS', 'epoch');
