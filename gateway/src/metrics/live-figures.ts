import { Counter, Gauge, type Registry } from 'prom-client';
import type { Labels } from './histogram.js';

/** One value of a figure. */
interface Sample {
  readonly value: number;
  readonly labels?: Labels;
}

interface FigureDefinition {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
}

/** Figures that a part of the process knows at any time. Each is read when the figures are. */
const figures = {
  leases: { name: 'fds_leases', help: 'Adaptors that this process serves' },
  leaseTakeovers: {
    name: 'fds_lease_takeovers_total',
    help: 'Adaptors that this process took over from one that ended or failed',
  },
  changeLogLag: {
    name: 'fds_change_log_lag',
    help: 'Entries of the change log that a reader of this process has not read yet',
    labelNames: ['reader'],
  },
  poolConnections: {
    name: 'fds_db_pool_connections',
    help: 'Connections to the database, by share and state (busy, idle)',
    labelNames: ['share', 'state'],
  },
  busConnected: { name: 'fds_bus_connected', help: '1: this process is connected to the message bus; otherwise 0' },
  busReconnects: {
    name: 'fds_bus_reconnects_total',
    help: 'Connections to the message bus after the first one; the embedded broker has none',
  },
  sockets: { name: 'fds_sockets', help: 'Open websockets' },
  subscriptions: { name: 'fds_subscriptions', help: 'Open GraphQL subscriptions' },
  buildInfo: {
    name: 'fds_build_info',
    help: '1, with the releases of the service, of Node and of PostgreSQL',
    labelNames: ['version', 'node', 'postgres'],
  },
} as const satisfies Readonly<Record<string, FigureDefinition>>;

type LiveFigure = keyof typeof figures;

/** Shows a figure of this process from now on. The function is called whenever the figures are read. It must not throw. */
export type ShowFigure = (figure: LiveFigure, read: () => readonly Sample[]) => void;

export const createShowFigure =
  (registry: Registry): ShowFigure =>
  (figure, read) => {
    const { name, help, labelNames = [] }: FigureDefinition = figures[figure];
    const base = { name, help, labelNames: [...labelNames], registers: [registry] };
    if (name.endsWith('_total')) {
      const counter: Counter = new Counter({
        ...base,
        collect: () => {
          counter.reset();
          for (const { labels = {}, value } of read()) counter.inc(labels, value);
        },
      });
      return;
    }
    const gauge: Gauge = new Gauge({
      ...base,
      collect: () => {
        gauge.reset();
        for (const { labels = {}, value } of read()) gauge.set(labels, value);
      },
    });
  };
