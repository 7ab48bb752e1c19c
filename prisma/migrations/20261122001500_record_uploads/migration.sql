-- what is on its way in needs no log: after a crash it is sent again
CREATE UNLOGGED TABLE "record_upload" (
    "uuid" UUID NOT NULL,
    "owner_uuid" UUID NOT NULL,
    "bytes" BIGINT NOT NULL DEFAULT 0,
    "parts" INTEGER NOT NULL DEFAULT 0,
    "last_updated" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "record_upload_pkey" PRIMARY KEY ("uuid")
);

CREATE UNLOGGED TABLE "record_upload_part" (
    "upload_uuid" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "content" BYTEA NOT NULL,

    CONSTRAINT "record_upload_part_pkey" PRIMARY KEY ("upload_uuid","number")
);

-- read once: compressing costs more than it saves
ALTER TABLE "record_upload_part" ALTER COLUMN "content" SET STORAGE EXTERNAL;

-- AddForeignKey
ALTER TABLE "record_upload_part" ADD CONSTRAINT "record_upload_part_upload_uuid_fkey" FOREIGN KEY ("upload_uuid") REFERENCES "record_upload"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;
