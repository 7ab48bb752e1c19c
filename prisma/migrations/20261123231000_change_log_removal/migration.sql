-- CreateTable
CREATE TABLE "change_log_removal" (
    "id" SMALLINT NOT NULL DEFAULT 1,
    "up_to" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "change_log_removal_pkey" PRIMARY KEY ("id")
);

-- there is one row, from the beginning
INSERT INTO "change_log_removal" DEFAULT VALUES;
