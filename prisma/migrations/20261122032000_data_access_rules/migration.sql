-- CreateTable
CREATE TABLE "data_access_rule" (
    "uuid" UUID NOT NULL,
    "role_uuid" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "effect" TEXT NOT NULL,
    "actions" TEXT[],
    "zone_uuid" UUID,
    "adaptor_uuid" UUID,
    "domain_uuid" UUID,
    "domain_version_uuid" UUID,
    "properties" TEXT[],
    "dr_uuids" UUID[],
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_updated" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "change_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "data_access_rule_pkey" PRIMARY KEY ("uuid")
);

-- CreateIndex
CREATE INDEX "data_access_rule_role_uuid_position_idx" ON "data_access_rule"("role_uuid", "position");

-- AddForeignKey
ALTER TABLE "data_access_rule" ADD CONSTRAINT "data_access_rule_role_uuid_fkey" FOREIGN KEY ("role_uuid") REFERENCES "role"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;
