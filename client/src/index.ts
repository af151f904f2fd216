// What the package exports.
export { ToolexecClient } from './client.ts';
export { Session, type ApprovalHandler, type EventsOptions, type WatchOptions } from './session.ts';
export { ToolexecProblem } from './problem.ts';
export { clientTool, type ClientTool, type ClientToolContext, type ClientToolResult, type InputSchema } from './client-tool.ts';
export type { MessageStream, StreamOptions } from './message-stream.ts';
export type { RunOptions, RunReply } from './run-message.ts';
export type { MessageSource } from './message-source.ts';
export type { ClientOptions, SocketConstructor, SocketLike } from './transport.ts';
export type {
  CallOptions,
  ClientFrame,
  CreateOptions,
  MessageFormat,
  MessagesOptions,
  Page,
  PageOptions,
  SessionInfo,
  SessionPatch,
  ToolexecEvent,
  ToolsOf,
} from './types.ts';
export type {
  Approval,
  ApprovalAnswered,
  ApprovalDecision,
  Call,
  CallReply,
  Checkpoint,
  ContentBlock,
  Decision,
  Directory,
  FileEntry,
  LogEvent,
  MessageReply,
  OpenTurn,
  OutgoingMessage,
  Plan,
  Problem,
  ResolveRequest,
  Rewind,
  SessionOptions,
  SettledCall,
  Task,
  TaskOutput,
  Ticket,
  Todo,
  ToolList,
  ToolMatches,
  ToolResult,
  Turn,
  Unpacked,
  View,
  WrittenFile,
} from './generated.ts';
