import type { Database } from '@fds/database';
import { requireZone } from '../require-zone.js';

/** How often an entry allowed and denied, since counting began. */
interface AclMetric {
  /** Null, like `position`, for the default policy. */
  readonly aclUuid: string | null;
  readonly position: number | null;
  readonly allowed: bigint;
  readonly denied: bigint;
  readonly lastMatched: Date | null;
}

/** Metrics of one chain, its entries in order. */
interface ChainMetrics {
  readonly acls: readonly AclMetric[];
  readonly defaultPolicy: AclMetric;
}

interface ZoneMetrics {
  readonly inbound: ChainMetrics;
  readonly outbound: ChainMetrics;
}

export interface AclMetrics {
  /** @throws AppError NOT_FOUND */
  ofZone(zoneUuid: string): Promise<ZoneMetrics>;
  ofOperations(): Promise<ChainMetrics>;
}

type Chain = 'INBOUND' | 'OUTBOUND' | 'OPERATIONAL';
const nilUuid = '00000000-0000-0000-0000-000000000000';

export const createAclMetrics = ({ prisma }: Database): AclMetrics => {
  const of = async (
    chain: Chain,
    entries: readonly { readonly uuid: string; readonly position: number }[],
    defaultUuid: string,
  ): Promise<ChainMetrics> => {
    const subjectUuid = { in: [...entries.map(({ uuid }) => uuid), defaultUuid] };
    const rows = await prisma.aclMetric.findMany({ where: { chain, subjectUuid } });
    const counted = new Map(rows.map((row) => [row.subjectUuid, row]));
    const metricOf = (uuid: string, as: Pick<AclMetric, 'aclUuid' | 'position'>): AclMetric => {
      const { allowed = 0n, denied = 0n, lastMatched = null } = counted.get(uuid) ?? {};
      return { ...as, allowed, denied, lastMatched };
    };
    return {
      acls: entries.map(({ uuid, position }) => metricOf(uuid, { aclUuid: uuid, position })),
      defaultPolicy: metricOf(defaultUuid, { aclUuid: null, position: null }),
    };
  };
  const shape = { select: { uuid: true, position: true }, orderBy: { position: 'asc' } } as const;

  return {
    ofZone: async (zoneUuid) => {
      await requireZone(prisma, zoneUuid);
      const chain = async (name: 'INBOUND' | 'OUTBOUND'): Promise<ChainMetrics> =>
        of(name, await prisma.zoneAcl.findMany({ where: { zoneUuid, chain: name }, ...shape }), zoneUuid);
      const [inbound, outbound] = await Promise.all([chain('INBOUND'), chain('OUTBOUND')]);
      return { inbound, outbound };
    },
    ofOperations: async () => of('OPERATIONAL', await prisma.operationalAcl.findMany(shape), nilUuid),
  };
};
