// What a tool may know and use. State is immutable: the only way to change it is a context modifier on a result.
import type { CommandRunner } from './command-runner.ts';
import type { BackgroundTasks } from './tasks.ts';
import type { MessageFormat } from './content.ts';
import type { LanguageServers } from './language-servers.ts';
import type { Agents, Model } from './model.ts';
import type { People } from './people.ts';
import type { Decision } from './decision.ts';
import type { SessionControls } from './session-controls.ts';
import type { SessionFiles } from './session-files.ts';
import type { PermissionMode, SessionState } from './session-state.ts';
import type { Skills } from './skills.ts';
import type { Teams } from './teams.ts';
import type { ToolIndex } from './tool-index.ts';
import type { Web } from './web.ts';

/** What tools may see of a session, for as long as its settings do not change. */
export interface SessionFacts {
  readonly sessionId: string;
  /** Absolute real path of the workspace. */
  readonly workspace: string;
  /** Absolute real paths of all directories that may be read, the workspace among them. Absent: the workspace alone. */
  readonly readableRoots?: readonly string[];
  /** Absolute real paths of all directories that may be written, the workspace among them. Absent: the workspace alone. */
  readonly writableRoots?: readonly string[];
  /** Environment variables that the session adds to its commands. */
  readonly env: Readonly<Record<string, string>>;
  /** Permission modes that the operator lets sessions take. Absent: all. */
  readonly allowedModes?: readonly PermissionMode[];
}

/** The services a tool may use; each is a port that the composition root fills. */
export interface ToolServices {
  readonly files: SessionFiles;
  readonly commands: CommandRunner;
  /** The other tools of the session. */
  readonly toolIndex: ToolIndex;
  /** Work that goes on after its call has ended. */
  readonly tasks: BackgroundTasks;
  readonly web: Web;
  readonly model: Model;
  readonly agents: Agents;
  readonly teams: Teams;
  readonly skills: Skills;
  readonly languageServers: LanguageServers;
  readonly controls: SessionControls;
  /** Header fields (W3C Trace Context) that put what this call asks elsewhere into its trace. Absent where there are no traces. */
  readonly traceHeaders?: (toolUseId: string) => Readonly<Record<string, string>>;
}

/** Everything one running call gets. */
export interface CallContext extends SessionFacts, ToolServices {
  readonly turnId: string;
  readonly toolUseId: string;
  /** The format of the message that the call came with. */
  readonly format: MessageFormat;
  readonly state: SessionState;
  /** Who let the call run. */
  readonly decision: Decision;
  /** Fires when the call must stop; `signal.reason` is a {@link StopReason}. */
  readonly signal: AbortSignal;
  readonly people: People;
  /** Fires when somebody wants the call to go on in the background, as a task, and to be answered now. A tool that cannot ignores it. */
  readonly backgroundRequest: () => AbortSignal;
  /** A file of the session that this call may write its whole output to; nothing exists there yet. */
  readonly outputFile: string;
}

/** Why a running call is stopped. The first reason wins and is a kind, never read back from text. */
export interface StopReason {
  readonly kind: 'aborted' | 'cancelled_sibling' | 'timed_out' | 'discarded';
  readonly message: string;
}
