// What the service tells, as the console reads it: the types of the client package.
import type * as wire from '../../../client/src/generated.ts';

export type { Approval, ContentBlock, Decision, Task, View } from '../../../client/src/generated.ts';
export type LoggedEvent = Exclude<wire.LogEvent, wire.GapEvent>;
export type { ToolexecEvent as ConsoleEvent } from '../../../client/src/types.ts';
export type Outcome = wire.ToolResultEvent['outcome'];
export type ViewBody = NonNullable<wire.View['body']>;
