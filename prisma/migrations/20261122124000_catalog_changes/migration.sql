-- what routing goes by, found among the changes of many records
CREATE INDEX "change_log_catalog_idx" ON "change_log"("position")
  WHERE resource_type IN ('Adaptor', 'AdaptorType', 'Domain', 'DomainVersion', 'InboundAcl', 'OperationalAcl', 'OutboundAcl');
