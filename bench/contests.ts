// All contests, in the order of their rows.
import type { Contest } from './contest.ts';
import { bashBatch } from './contests/bash-batch.ts';
import { dependenciesContest } from './contests/dependencies.ts';
import { eventLog } from './contests/event-log.ts';
import { fixedRate } from './contests/fixed-rate.ts';
import { heldMemory } from './contests/held-memory.ts';
import { idleSessions } from './contests/idle-sessions.ts';
import { idleSockets } from './contests/idle-sockets.ts';
import { manySockets } from './contests/many-sockets.ts';
import { mixedSessions } from './contests/mixed-sessions.ts';
import { againstMcp, againstToolNode } from './contests/peers.ts';
import { postNoop } from './contests/post-noop.ts';
import { postRate } from './contests/post-rate.ts';
import { readFiles } from './contests/read-file.ts';
import { scheduleContest } from './contests/schedules.ts';
import { searches } from './contests/searches.ts';
import { socketNoop } from './contests/socket-noop.ts';
import { startUp } from './contests/start-up.ts';
import { storesContest } from './contests/stores.ts';
import { startOnRedis } from './redis-service.ts';
import { SCRIPTS } from './scripts.ts';
import { startService } from './server-process.ts';
import { TURN_SHAPES } from './turn-shapes.ts';

export const CONTESTS: readonly Contest[] = [
  postRate(),
  socketNoop({ ballastBytes: 0, how: 'paced' }),
  socketNoop({ ballastBytes: 1_100, how: 'paced' }),
  socketNoop({ ballastBytes: 0, how: 'back to back' }),
  manySockets({ row: '2', sockets: 100, calls: 30, store: 'SQLite', targets: { rate: 0.6, p99: null } }),
  manySockets({ row: '3', sockets: 1_000, calls: 5, start: () => startService(), store: 'SQLite', targets: { rate: 0.6, p99: 2 } }),
  manySockets({ row: '3', sockets: 1_000, calls: 5, start: startOnRedis, store: 'Redis', targets: { rate: null, p99: null } }),
  fixedRate(),
  postNoop(),
  againstMcp(),
  againstToolNode(),
  bashBatch('off'),
  bashBatch('on'),
  heldMemory(),
  ...SCRIPTS.map(scheduleContest),
  searches(),
  readFiles(),
  idleSockets(),
  eventLog({ store: 'SQLite', target: 0.85 }),
  eventLog({ store: 'Redis', target: 0.75 }),
  ...TURN_SHAPES.map(dependenciesContest),
  mixedSessions(),
  storesContest(),
  idleSessions(),
  startUp(),
];
