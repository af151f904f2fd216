// What one call touches, seen once for all rules and modes.
import type { CommandReader, JudgedCall, PermissionContext } from '../../contract/index.ts';
import { hostOf } from '../patterns/domain-pattern.ts';
import { placeOf, type Place, type RealPath, type Scope } from '../paths/place.ts';
import { touchedCommand, type TouchedCommand } from './touched-command.ts';

export interface TouchedFile {
  readonly kind: 'file';
  readonly access: 'read' | 'write';
  readonly place: Place;
}

export interface TouchedUrl {
  readonly kind: 'url';
  /** `null` when it is no URL of the web. */
  readonly host: string | null;
}

export interface TouchedOther {
  readonly kind: 'other';
  /** What rules about such a tool name in brackets. */
  readonly text?: string;
  /** It is the session's own: only rules are against it. */
  readonly own?: true;
  /** It is a program in a language that rules cannot read. */
  readonly code?: true;
}

export type TouchedItem = TouchedFile | TouchedCommand | TouchedUrl | TouchedOther;

export interface Touched {
  /** Primary name. */
  readonly tool: string;
  readonly readOnly: boolean;
  /** Empty: nothing outside of the session itself. */
  readonly items: readonly TouchedItem[];
}

export interface Sight {
  readonly commands: CommandReader;
  readonly realPath: RealPath;
  readonly scope: Scope;
  /** Whether anything hangs on the files that a command names. */
  readonly filesOfCommands: boolean;
}

/** @throws whatever the tool's own description of the call throws */
export async function touchedBy({ tool, input, readOnly }: JudgedCall, context: PermissionContext, sight: Sight): Promise<Touched> {
  const { commands, realPath, scope, filesOfCommands } = sight;
  const items: TouchedItem[] = [];
  for (const subject of tool.permissionSubjects(input, context)) {
    switch (subject.kind) {
      case 'path':
        items.push({ kind: 'file', access: subject.access, place: await placeOf(subject.path, realPath) });
        break;
      case 'command':
        items.push(await touchedCommand(subject.command, { commands, realPath, cwd: scope.cwd, home: scope.home, files: filesOfCommands }));
        break;
      case 'url':
        items.push({ kind: 'url', host: hostOf(subject.url) });
        break;
      case 'other':
        items.push(subject);
        break;
    }
  }
  return { tool: tool.name, readOnly, items };
}
