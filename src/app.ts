// The composition root: the only place that knows all parts and joins them.
import { mkdir } from 'node:fs/promises';
import fastifyWebsocket from '@fastify/websocket';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { approvalRoutes } from '../routes/approvals.ts';
import { archiveRoutes } from '../routes/archive.ts';
import { auditRoutes } from '../routes/audit.ts';
import { checkpointRoutes } from '../routes/checkpoints.ts';
import { consoleRoutes } from '../routes/console.ts';
import { clientResultRoutes } from '../routes/client-results.ts';
import { callBackgroundRoutes } from '../routes/call-background.ts';
import { callOutputRoutes } from '../routes/call-output.ts';
import { callRoutes } from '../routes/call.ts';
import { eventRoutes } from '../routes/events.ts';
import { fileRoutes } from '../routes/files.ts';
import { mcpRoutes } from '../routes/mcp.ts';
import { messageRoutes } from '../routes/messages.ts';
import { operationRoutes } from '../routes/operations.ts';
import { planRoutes } from '../routes/plan.ts';
import { resolveRoutes } from '../routes/resolve.ts';
import { sessionRoutes } from '../routes/sessions.ts';
import { streamRoutes } from '../routes/stream.ts';
import { taskRoutes } from '../routes/tasks.ts';
import { ticketRoutes } from '../routes/tickets.ts';
import { toolRoutes } from '../routes/tools.ts';
import { toolSearchRoutes } from '../routes/tool-search.ts';
import { turnRoutes } from '../routes/turns.ts';
import type { Config } from './config.ts';
import type { Tool, Report } from './contract/index.ts';
import { helperTimes } from './composition/commands.ts';
import { featuresOf } from './composition/features.ts';
import { findSandbox, joinGuards, type JoinedGuards } from './composition/guards.ts';
import { joinObservers } from './composition/observers.ts';
import { operatorSettings, type OperatorSettings } from './composition/operator-settings.ts';
import { joinPlaces, operatorSkills } from './composition/places.ts';
import { joinServers } from './composition/servers.ts';
import { joinServices } from './composition/services.ts';
import { sessionLimits } from './composition/session-limits.ts';
import { joinStore, type JoinedStore } from './composition/store.ts';
import { takeUpOrphans } from './composition/take-up-orphans.ts';
import { joinToolboxes } from './composition/toolboxes.ts';
import { anyNode } from './plugins/nodes/any-node.ts';
import { auth } from './plugins/access/auth.ts';
import { bodiesInFlight } from './plugins/limits/bodies-in-flight.ts';
import { documents } from './plugins/documents/documents.ts';
import { eventStreams } from './plugins/limits/event-streams.ts';
import { forwarded } from './plugins/access/forwarded.ts';
import { newServer } from './plugins/http-server.ts';
import { idempotency } from './plugins/idempotency.ts';
import { jsonBody } from './plugins/json-body.ts';
import { metricsRoute } from './plugins/observe/metrics.ts';
import { origins } from './plugins/access/origins.ts';
import { problemDetails } from './plugins/problem-details.ts';
import { requestLog } from './plugins/observe/request-log.ts';
import { requestOrigin } from './plugins/observe/request-origin.ts';
import type {} from './plugins/services.ts';
import { SocketRegistry } from './plugins/limits/sockets.ts';
import { tickets, ticketsInMemory } from './plugins/access/tickets.ts';
import { transfers } from './plugins/limits/transfers.ts';
import { endFailedSocket } from './plugins/unreadable-requests.ts';
import { startCommandRunner } from './sandbox/command-runner.ts';
import { SessionRegistry } from './sessions/registry/registry.ts';
import { SEARCH_TOOL } from './toolbox/search/deferral.ts';
import { loadTools } from './toolbox/load/load-tools.ts';
import { loadOperatorTools } from './toolbox/load/operator-tools.ts';
import { removePlaceUnder } from './workspace/places.ts';

export { createLogger } from './plugins/observe/logger.ts';

export interface AppOptions {
  readonly config: Config;
  readonly logger: FastifyBaseLogger | undefined;
  /** Tools beside the built-in ones. */
  readonly extraTools?: readonly Tool[];
  /** Where sessions are kept, instead of where the configuration says; closed with the app, once that is there. */
  readonly kept?: JoinedStore;
  /** The environment of the process, of which the operator's hooks get what is harmless. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

const TOOLS_DIRECTORY = new URL('../tools/', import.meta.url);
const ROUTES = [
  sessionRoutes,
  messageRoutes,
  callRoutes,
  mcpRoutes,
  planRoutes,
  turnRoutes,
  approvalRoutes,
  auditRoutes,
  callOutputRoutes,
  callBackgroundRoutes,
  checkpointRoutes,
  clientResultRoutes,
  resolveRoutes,
  eventRoutes,
  fileRoutes,
  archiveRoutes,
  streamRoutes,
  taskRoutes,
  ticketRoutes,
  toolRoutes,
  toolSearchRoutes,
  operationRoutes,
  consoleRoutes,
];

/** Builds the service without listening. Closing the app aborts what runs and closes everything that was opened here. */
export async function buildApp({ config, logger, extraTools = [], kept: given, environment = {} }: AppOptions): Promise<FastifyInstance> {
  const operator = operatorSettings(config);
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const kept = given ?? (await joinStore(config, (message) => logger?.warn(message)));
  const commands = startCommandRunner({ maxProcesses: config.maxProcesses, ...helperTimes(config) });
  // The kernel answers while the tools are loaded.
  const detecting = findSandbox(config);
  let guards: JoinedGuards | undefined;
  const release = async (): Promise<void> => {
    await guards?.close();
    await commands.close();
    await kept.close();
  };
  const report: Report = (what, error) => logger?.error({ err: error }, what);
  try {
    const features = await featuresOf(config);
    const tools = [...(await loadBuiltIn({ config, features, logger })), ...extraTools];
    guards = await joinGuards({ config, operator, detection: await detecting, tools, runner: commands, environment, report });
    return await joinParts({ config, operator, features, logger, kept, tools, guards, processes: commands.load, report, release });
  } catch (error) {
    await detecting;
    await release();
    throw error;
  }
}

interface Loading {
  readonly config: Config;
  readonly features: ReadonlySet<string>;
  readonly logger: FastifyBaseLogger | undefined;
}

/** The tools of the service and the operator's own, as far as sessions may have them: nothing of another is loaded. */
async function loadBuiltIn({ config, features, logger }: Loading): Promise<Tool[]> {
  const { include, exclude } = config.tools;
  const { toolsDir } = config;
  const choice = { include: include && [...include, SEARCH_TOOL], exclude, features };
  const shipped = await loadTools(TOOLS_DIRECTORY, choice);
  if (toolsDir === undefined) return shipped;
  // A module may hang: the last line of the log then names it.
  const onLoad = (folder: string): void => logger?.info(`Loading the tool in ${folder}.`);
  const own = await loadOperatorTools(toolsDir, { ...choice, shipped, onLoad });
  for (const { folder, reason } of own.refused) logger?.warn(`The tool in ${folder} is not loaded: ${reason}`);
  return [...shipped, ...own.tools];
}

interface Parts {
  readonly config: Config;
  readonly operator: OperatorSettings;
  readonly features: ReadonlySet<string>;
  readonly logger: FastifyBaseLogger | undefined;
  readonly kept: JoinedStore;
  readonly guards: JoinedGuards;
  /** Commands and programs that run and wait. */
  readonly processes: () => { readonly running: number; readonly waiting: number };
  readonly report: Report;
  readonly tools: readonly Tool[];
  /** Closes what was opened before the app. */
  readonly release: () => Promise<void>;
}

async function joinParts(parts: Parts): Promise<FastifyInstance> {
  const { config, logger, kept, guards, processes, release } = parts;
  const { sessions, store, servers, toolboxes, looking } = await joinSessions(parts);
  const sockets = new SocketRegistry(config.limits.sockets_per_key);
  const app = newServer(config, logger);
  app.decorate('services', { config, sessions, store, sockets, sandbox: guards.sandbox, defaultTools: toolboxes.defaultTools });
  app.addHook('preClose', async () => {
    await sessions.drain(config.drainGraceMs);
    sockets.closeAll(1001, 'the service is shutting down: reconnect with ?after=');
  });
  app.addHook('onClose', async () => {
    await servers.close();
    await looking.close();
    await release();
  });
  await registerPlugins(app, config, kept);
  looking.watch({
    sockets: () => sockets.size,
    eventStreams: () => app.eventStreams.size,
    sessions: () => sessions.openCount,
    readerLag: () => sessions.readerLag,
    processes,
  });
  await app.register(metricsRoute, { registry: looking.registry });
  for (const routes of ROUTES) {
    await app.register((scope, _options, done) => {
      routes(scope);
      done();
    });
  }
  return app;
}

/** The sessions, which go on with what a crash has left, and what of them the server needs beside. */
async function joinSessions({ config, operator, features, logger, kept, tools, guards, report }: Parts) {
  const servers = joinServers({ operator: operator.mcpServers, ...guards, report });
  const toolboxes = joinToolboxes({
    builtIn: tools,
    operator: config.tools,
    features,
    agentDepth: config.limits.agent_depth,
    operatorKeys: config.operatorKeys,
    operatorSkills: await operatorSkills(config, report),
    isDenied: guards.isDenied,
    fetch: guards.guardedFetch,
    remoteFor: servers.remoteFor,
    warn: (message) => logger?.warn(message),
  });
  const { store, observer, traceHeaders, ...looking } = await joinObservers({ config, tools, logger, store: kept.store, guards, report });
  const removePlace = removePlaceUnder(config.dataDir);
  const sessions: SessionRegistry = new SessionRegistry({
    store,
    leases: kept.leases,
    ...(kept.takeOverMs !== undefined && { takeOverMs: kept.takeOverMs }),
    toolboxFor: toolboxes.toolboxFor,
    servicesFor: joinServices({ config, operator, guards, sessions: () => sessions, report }),
    limits: sessionLimits(config),
    observer,
    ...(traceHeaders && { traceHeaders }),
    ...guards,
    ...looking.guards,
    guard(settings) {
      guards.guard(settings);
      toolboxes.check(settings);
      servers.check(settings);
    },
    place: joinPlaces({ config, report }),
    removePlace: async (sessionId) => {
      guards.forget(sessionId);
      await removePlace(sessionId);
    },
    report,
  });
  await sessions.recover();
  await takeUpOrphans({ store: kept.store, sessions, report });
  return { sessions, store, servers, toolboxes, looking };
}

async function registerPlugins(
  app: FastifyInstance,
  config: Config,
  { nodes, leases, tickets: shared, rates }: JoinedStore,
): Promise<void> {
  const { host, keys, allowedOrigins, allowedHosts, limits } = config;
  await app.register(requestOrigin);
  await app.register(problemDetails);
  await app.register(jsonBody, { maxDepth: limits.json_depth });
  await app.register(fastifyWebsocket, {
    errorHandler: endFailedSocket,
    options: {
      maxPayload: limits.body_bytes,
      perMessageDeflate: false,
      // Tiny pieces of a frame cost far more memory than they hold bytes.
      maxFragments: 1_024,
      maxBufferedChunks: 16_384 + Math.ceil(limits.body_bytes / 1_024),
      handleProtocols: (offered) => (offered.has('toolexec.v1') ? 'toolexec.v1' : false),
    },
  });
  await app.register(forwarded, { nodes });
  await app.register(origins, { listensOn: host, allowedHosts, allowedOrigins });
  await app.register(tickets, { store: shared ?? ticketsInMemory(limits.tickets_per_key) });
  await app.register(auth, {
    keys,
    rates: { requestsPerMinute: limits.requests_per_minute, failuresPerMinute: limits.wrong_keys_per_minute, shared: rates },
  });
  await app.register(requestLog);
  await app.register(transfers);
  await app.register(anyNode, { nodes, leases, leaseTtlMs: config.leaseTtlMs, advertisedUrl: config.advertisedUrl });
  await app.register(bodiesInFlight, { allBytes: limits.bodies_in_flight_bytes, oneBytes: limits.body_bytes });
  await app.register(eventStreams, { perOwner: limits.event_streams_per_key });
  await app.register(idempotency, { store: app.services.store });
  await app.register(documents);
}
