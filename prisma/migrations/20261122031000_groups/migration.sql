-- CreateTable
CREATE TABLE "user_group" (
    "uuid" UUID NOT NULL,
    "zone_uuid" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_updated" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "change_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "user_group_pkey" PRIMARY KEY ("uuid")
);

-- CreateTable
CREATE TABLE "user_group_member" (
    "group_uuid" UUID NOT NULL,
    "zone_user_uuid" UUID NOT NULL,

    CONSTRAINT "user_group_member_pkey" PRIMARY KEY ("group_uuid","zone_user_uuid")
);

-- CreateTable
CREATE TABLE "user_group_role" (
    "group_uuid" UUID NOT NULL,
    "role_uuid" UUID NOT NULL,

    CONSTRAINT "user_group_role_pkey" PRIMARY KEY ("group_uuid","role_uuid")
);

-- CreateIndex
CREATE UNIQUE INDEX "user_group_zone_uuid_name_key" ON "user_group"("zone_uuid", "name");

-- CreateIndex
CREATE INDEX "user_group_member_zone_user_uuid_idx" ON "user_group_member"("zone_user_uuid");

-- CreateIndex
CREATE INDEX "user_group_role_role_uuid_idx" ON "user_group_role"("role_uuid");

-- CreateIndex
CREATE INDEX "permission_zone_uuid_idx" ON "permission"("zone_uuid");

-- AddForeignKey
ALTER TABLE "user_group_member" ADD CONSTRAINT "user_group_member_group_uuid_fkey" FOREIGN KEY ("group_uuid") REFERENCES "user_group"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_group_member" ADD CONSTRAINT "user_group_member_zone_user_uuid_fkey" FOREIGN KEY ("zone_user_uuid") REFERENCES "zone_user"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_group_role" ADD CONSTRAINT "user_group_role_group_uuid_fkey" FOREIGN KEY ("group_uuid") REFERENCES "user_group"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_group_role" ADD CONSTRAINT "user_group_role_role_uuid_fkey" FOREIGN KEY ("role_uuid") REFERENCES "role"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;
