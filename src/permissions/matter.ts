import type { CommandReader, JudgedCall, PermissionMode } from '../contract/index.ts';
import type { RealPath, Scope } from './paths/place.ts';
import type { Rule } from './rules/rule.ts';
import type { Touched } from './touched/touched.ts';

/** Judges calls in the mode `auto`, from the text that a tool shows of a call. One that throws is unsure. */
export interface AutoClassifier {
  judge(text: string, signal: AbortSignal): Promise<'allow' | 'deny' | 'unsure'>;
}

/** What a session's calls are judged by. */
export interface Settings {
  readonly deny: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly allow: readonly Rule[];
  readonly commands: CommandReader;
  readonly realPath: RealPath;
  /** Commands of the session run in a sandbox that works. */
  readonly sandboxed: boolean;
  /** Commands are not asked for, since a sandbox holds them, or what is around the service does. */
  readonly autoAllowCommands: boolean;
  /** Absolute path of the home directory that commands see. */
  readonly home: string;
  /** Absolute path of the service's own files. */
  readonly dataDir: string;
  /** Where `/x` in the operator's rules starts. */
  readonly source: string | undefined;
  /** Who judges in the mode `auto`; without one, everything is asked that the mode `acceptEdits` would ask. */
  readonly classifier?: AutoClassifier;
}

/** A call that is being judged, with all that can be seen of it. */
export interface Matter {
  readonly call: JudgedCall;
  readonly mode: PermissionMode;
  readonly scope: Scope;
  readonly touched: Touched;
  readonly settings: Settings;
}
