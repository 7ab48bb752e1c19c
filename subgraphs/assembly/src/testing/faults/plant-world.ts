import type { Database } from '@fds/database';
import { stringifyJson } from '@fds/json';
import { compileModelSchema } from '@fds/model-schema';
import { properties, type World } from './world.js';

/** Writes a world into the database, in addition to other worlds. */
export const plantWorld = async ({ prisma, pool }: Database, world: World): Promise<void> => {
  const { zoneUuids, adaptors, versionUuid, domainUuid, domain, groups } = world;
  const [home] = zoneUuids;
  const modelSchema = { properties, propertyGroups: groups };
  const { model } = compileModelSchema({ modelSchema, drKeyProperties: ['id'] });
  if (model === undefined) throw new Error('the model of the world does not compile');
  const keyOf = (key: number) => ({
    digest: Buffer.from(model.keyDigest({ id: key }), 'hex'),
    text: stringifyJson({ id: key }),
  });

  await prisma.zone.createMany({ data: zoneUuids.map((uuid) => ({ uuid, name: uuid })) });
  await prisma.adaptorType.create({ data: { uuid: domainUuid, name: domain } });
  await prisma.domain.create({
    data: { uuid: domainUuid, name: domain, nameKey: domain, domainType: 'FEDERATED', zoneUuid: home },
  });
  await prisma.domainVersion.create({
    data: {
      uuid: versionUuid,
      domainUuid,
      versionNumber: 1,
      modelSchema: stringifyJson(modelSchema),
      drKeyProperties: ['id'],
    },
  });
  await prisma.adaptor.createMany({
    data: adaptors.map(({ uuid, name, zoneUuid, isDown }) => ({
      uuid,
      name,
      zoneUuid,
      adaptorTypeUuid: domainUuid,
      state: isDown ? 'DOWN' : 'STARTED',
      inheritsCapabilities: false,
    })),
  });
  await prisma.adaptorCapability.createMany({
    data: adaptors.map(({ uuid }) => ({
      adaptorUuid: uuid,
      position: 0,
      domainName: domain,
      versionNumber: 1,
      action: 'GET',
    })),
  });
  await prisma.adaptorPreference.createMany({
    data: adaptors.flatMap(({ uuid, preferred }) =>
      preferred === undefined
        ? []
        : [
            {
              uuid,
              zoneUuid: home,
              adaptorUuid: uuid,
              preferenceType: preferred,
              domainVersionUuid: versionUuid,
            },
          ],
    ),
  });
  for (const { uuid, key } of world.records) {
    const { digest, text } = keyOf(key);
    await pool.query(
      'INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key) VALUES ($1, $2, $3, $4::jsonb)',
      [uuid, versionUuid, digest, text],
    );
  }
  for (const { recordUuid, adaptorUuid, key, lastUpdated } of world.links) {
    const { digest, text } = keyOf(key);
    await pool.query(
      `INSERT INTO record_link (record_uuid, adaptor_uuid, domain_version_uuid, key_digest, dr_key, known_content, last_updated)
       VALUES ($1, $2, $3, $4, $5::jsonb, '{}', $6)`,
      [recordUuid, adaptorUuid, versionUuid, digest, text, new Date(lastUpdated)],
    );
  }
  for (const { drUuids, properties: named, ...entry } of world.entries) {
    await prisma.zoneAcl.create({
      data: {
        ...entry,
        properties: [...named],
        records: { create: drUuids.map((recordUuid) => ({ recordUuid })) },
      },
    });
  }
};
