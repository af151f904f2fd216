// Headers that several operations take or give.
import type { OpenAPIV3_1 } from 'openapi-types';

type Header = OpenAPIV3_1.HeaderObject;
type Parameter = OpenAPIV3_1.ParameterObject;

const text = { type: 'string' } as const;

/** Header fields of requests. */
export const REQUEST_HEADERS = {
  IdempotencyKey: parameter(
    'Idempotency-Key',
    'Makes a repeated request safe: for 24 hours it makes nothing new. It gets the session that was made, or joins the turn that was begun, or gets its results, also when its first client has left. The same key with another body is refused with 409.',
    'b7c1f0de-1',
  ),
  Prefer: parameter('Prefer', '`respond-async`: answer 202 at once, and let the turn be read later.', 'respond-async'),
  PreferWait: parameter('Prefer', '`wait=N`: answer when the turn has ended, at the latest after N seconds (60 at most).', 'wait=30'),
  LastEventId: parameter('Last-Event-ID', 'The `seq` of the last event that the client has; `after` wins over it.', '12'),
  Range: parameter('Range', 'One range of bytes.', 'bytes=0-1023'),
  IfMatch: parameter('If-Match', 'The `ETag` of what is there, or `*` for anything: 412 when it is another.', '"9f86d0…"'),
  IfNoneMatchAny: parameter('If-None-Match', '`*`: 412 when there is something already.', '*'),
  IfNoneMatch: parameter('If-None-Match', 'The `ETag` of an earlier reply: 304 when nothing has changed.', '"sha256:…"'),
} as const satisfies Record<string, Parameter>;

/** Header fields of replies. */
export const REPLY_HEADERS = {
  Location: header('Where what was made can be read.'),
  RetryAfter: header('Seconds to wait before the request is repeated; comes with 429 and 503.'),
  ToolexecTaskStatus: header('`running` while more output can come; else how the task ended.'),
  ToolexecReplayed: header(
    '`true` when nothing was run for this request: the reply is the recorded one, or that of the turn it has joined.',
  ),
  PreferenceApplied: header('`respond-async`, where it was followed.'),
  ETag: header('Changes when the body does.'),
  AcceptRanges: header('`bytes`'),
  ContentRange: header('The bytes that were sent, and how many there are so far.'),
} as const satisfies Record<string, Header>;

/** The names that they travel by. */
export const HEADER_NAMES: Readonly<Record<keyof typeof REPLY_HEADERS, string>> = {
  Location: 'Location',
  RetryAfter: 'Retry-After',
  ToolexecReplayed: 'Toolexec-Replayed',
  ToolexecTaskStatus: 'Toolexec-Task-Status',
  PreferenceApplied: 'Preference-Applied',
  ETag: 'ETag',
  AcceptRanges: 'Accept-Ranges',
  ContentRange: 'Content-Range',
};

function parameter(name: string, description: string, example: string): Parameter {
  return { name, in: 'header', required: false, description, schema: text, example };
}

function header(description: string): Header {
  return { description, schema: text };
}
