-- assembly also goes by the names of zones and by preferences
DROP INDEX "change_log_catalog_idx";
CREATE INDEX "change_log_catalog_idx" ON "change_log"("position")
  WHERE resource_type IN ('Adaptor', 'AdaptorType', 'Domain', 'DomainVersion', 'InboundAcl', 'OperationalAcl', 'OutboundAcl', 'Preference', 'Zone');
