-- CreateTable
CREATE TABLE "configuration_plan" (
    "uuid" UUID NOT NULL,
    "actor_uuid" UUID NOT NULL,
    "sealed_documents" TEXT NOT NULL,
    "prune" BOOLEAN NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "date_created" TIMESTAMPTZ(3) NOT NULL,
    "date_applied" TIMESTAMPTZ(3),

    CONSTRAINT "configuration_plan_pkey" PRIMARY KEY ("uuid")
);

-- CreateIndex
CREATE INDEX "configuration_plan_actor_uuid_date_created_idx" ON "configuration_plan"("actor_uuid", "date_created");

-- CreateIndex
CREATE INDEX "configuration_plan_date_created_idx" ON "configuration_plan"("date_created");
