import { resolve } from 'node:path';
import type { Footprint, PermissionContext, PermissionSubject } from '../../contract/index.ts';

/** What a tool says whose calls touch one file and nothing else: the one that `key` of the input names, from the working directory on. */
export function onFile<Key extends string>(key: Key, access: 'read' | 'write') {
  const absolute = (path: unknown, { state }: PermissionContext): string => resolve(state.cwd, String(path));
  return {
    footprint(input: Record<Key, string>, context: PermissionContext): Footprint {
      const paths = [absolute(input[key], context)];
      return access === 'read' ? { reads: paths } : { writes: paths };
    },
    permissionSubjects: (input: Record<Key, string>, context: PermissionContext): PermissionSubject[] => [
      { kind: 'path', access, path: absolute(input[key], context) },
    ],
    backfillObservableInput: (input: Record<string, unknown>, context: PermissionContext) => ({
      ...input,
      [key]: absolute(input[key], context),
    }),
  };
}
