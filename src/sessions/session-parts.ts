// What the composition root hands to every session: concerns that do not know each other meet here, behind small ports.
import type {
  BackgroundTasks,
  CommandRunner,
  EngineEvent,
  FileHistory,
  Hooks,
  Leases,
  OutputFiles,
  PermissionMode,
  Policy,
  Schedule,
  SessionFiles,
  SessionState,
  Skills,
  Store,
  Toolbox,
  ToolServices,
  WorkspaceTree,
  Report,
} from '../contract/index.ts';
import type { ChildOf } from './child.ts';
import type { LogLimits } from './log/event-log.ts';
import type { SessionSettings } from './settings/session-options.ts';
import type { RecordedCall, TurnRecord } from './turn/turn-record.ts';

export interface SessionLimits {
  /** The service's own bound on calls in flight a batch; a session may lower it. */
  readonly maxConcurrency: number;
  readonly graceMs: number;
  readonly bufferedEvents: number;
  /** Turns that may wait behind the one that runs. */
  readonly queuedTurns: number;
  readonly callsPerTurn: number;
  readonly sessionsPerOwner: number;
  /** Background tasks of a session that run at once. */
  readonly tasksPerSession: number;
  /** Milliseconds a dropped socket's turn waits for more input, or for a reconnect before it is aborted. */
  readonly reconnectMs: number;
  readonly log: LogLimits;
}

/** Where a session's files are. */
export interface SessionPlace {
  /** Absolute real path. */
  readonly workspace: string;
  /** True when the directory is the session's own and goes with it. */
  readonly ephemeral: boolean;
  readonly files: SessionFiles;
  readonly history: FileHistory;
  /** The workspace for its owner, over REST. */
  readonly tree: WorkspaceTree;
  readonly outputs: OutputFiles;
  readonly skills: Skills;
  /** Home directory of its commands, made when the first one runs. */
  readonly home: string;
  /** What its sandboxed commands have as /tmp, made when the first one runs. */
  readonly temp: string;
  /** Absolute real paths that calls may read under, the workspace among them. */
  readonly readableRoots: readonly string[];
  /** Absolute real paths that calls may write under, the workspace among them. */
  readonly writableRoots: readonly string[];
}

/** A session as those see it who do something for its calls. */
export interface ServedSession extends SessionAbout {
  readonly settings: SessionSettings;
  readonly state: SessionState;
  readonly child: ChildOf | undefined;
}

/** What the composition root joins for one session, beside where its files are and its commands run. */
export interface OutsideServices extends Pick<ToolServices, 'web' | 'model' | 'agents' | 'teams' | 'languageServers'> {
  /** Gives an agent the prompt of a schedule, in the background; resolves when it has ended. Never throws. */
  runSchedule(schedule: Schedule): Promise<void>;
  /** True while something is open that remembers what the session did. */
  readonly busy: boolean;
  close(): Promise<void>;
}

/** How commands are held: by a sandbox of ours, by what is around the service, or by nothing. */
export type SandboxState = { readonly mode: 'on' | 'external' } | { readonly mode: 'off'; readonly reason: string };

/** What those need who do something for a session from outside of it. */
export interface SessionAbout {
  readonly id: string;
  readonly owner: string;
  readonly place: SessionPlace;
}

/** The session of a turn, for those who look on. */
export interface ObservedSession {
  readonly id: string;
  readonly owner: string;
  readonly child: ChildOf | undefined;
}

/** Looks on at turns, each from the moment it is asked for to its one end. Must not throw. */
export interface SessionObserver {
  /** A turn waits for its place: told to whoever looks on before the asking returns. */
  turnQueued(record: TurnRecord, session: ObservedSession): void;
  /** A turn that another process had left open goes on here: told before it is queued. */
  turnResumed(record: TurnRecord, session: ObservedSession): void;
  turnStarted(record: TurnRecord, session: ObservedSession): void;
  /** Something happened to a call, which the record knows of already. */
  callChanged(event: CallEvent, record: TurnRecord, session: ObservedSession): void;
  callEnded(call: RecordedCall, record: TurnRecord, session: ObservedSession): void;
  turnEnded(record: TurnRecord, session: ObservedSession): void;
  /** The turn has no end that is known here: it goes on elsewhere or later, or its log could not be kept. */
  turnLeft(record: TurnRecord, session: ObservedSession): void;
}

/** Looks on at some of that. */
export type Onlooker = Partial<SessionObserver>;

/** What the engine tells of calls, without what passes by. */
export type CallEvent = Exclude<EngineEvent, { type: 'progress' | 'context_changed' }>;

export interface PlaceOrder {
  readonly id: string;
  /** Absolute path that the client asked for; `undefined` for a directory of the session's own. */
  readonly path: string | undefined;
  readonly additionalDirs: readonly string[];
  /** The session whose own directory this one works in too. */
  readonly sharedWith?: string;
}

export interface SessionParts {
  readonly store: Store;
  /** Who executes which session. */
  readonly leases: Leases;
  /** Milliseconds after which it is worth looking for turns that another node has left; absent where there is no other. */
  readonly takeOverMs?: number;
  readonly limits: SessionLimits;
  readonly observer: SessionObserver;
  /** Header fields for what a call asks elsewhere. Absent where there are no traces. */
  readonly traceHeaders?: (turnId: string, toolUseId: string) => Readonly<Record<string, string>>;
  readonly report: Report;
  /** Permission modes that the operator lets sessions take. Absent: all. */
  readonly allowedModes?: readonly PermissionMode[];
  /** @throws Problem `forbidden` for what is below the operator's floor */
  guard(settings: SessionSettings): void;
  /** The tools of a session as it is now. */
  toolboxFor(
    settings: SessionSettings,
    session: SessionAbout & { readonly state: SessionState; readonly child: ChildOf | undefined },
  ): Toolbox;
  policyFor(settings: SessionSettings, place: SessionPlace): Policy;
  hooksFor(settings: SessionSettings, session: SessionAbout): Hooks;
  /** Whether its commands are shut in, and why not. */
  sandboxState(settings: SessionSettings): SandboxState;
  /** Where the session's commands run. */
  commandsFor(settings: SessionSettings, session: SessionAbout): CommandRunner;
  /** What its calls may use; asked once, when the session is opened. */
  servicesFor(session: ServedSession, tasks: BackgroundTasks): OutsideServices;
  /**
   * Opens or makes the directories of a session.
   * @throws Problem `forbidden` when the path is not under one of the operator's roots
   */
  place(session: PlaceOrder): Promise<SessionPlace>;
  /** Removes what is a session's own. */
  removePlace(sessionId: string): Promise<void>;
}
