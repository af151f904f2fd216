// Names of all keys. What is in braces decides the slot of a cluster, so all keys of one session share one, and so do the two
// keys of an index.
import { crc32 } from 'node:zlib';

const PREFIX = 'toolexec:';
/** Parts into which an index over all sessions is split, so that no single key takes them all. */
export const SHARDS = 8;

/** The two keys of an index: a sorted set of sessions, and a hash that says when and by whom each was put there. */
export interface IndexKeys {
  readonly entries: string;
  readonly notes: string;
}

export function sessionKeys(sessionId: string) {
  const tag = `${PREFIX}{${encoded(sessionId)}}:`;
  return {
    /** Hash: the columns of the session's row, `first` and `last` of its log, `top` of its ordinals, `version`, and what the indexes have of it. */
    session: `${tag}session`,
    /** Stream: events that were written at once are one entry, see `commit.lua`. */
    log: `${tag}log`,
    /** Hash: `<ordinal> <open> <document>` by turn id. */
    turns: `${tag}turns`,
    /** Sorted sets: turn ids by ordinal. */
    ordinals: `${tag}ordinals`,
    open: `${tag}open`,
    /** Hash: a call as JSON by its name in its turn. */
    calls: `${tag}calls`,
    /** Sorted set: names of calls, see `call-names.ts`. */
    callNames: `${tag}call-names`,
    epoch: `${tag}epoch`,
    /** `<epoch> <node>` of whoever has the lease. */
    owner: `${tag}owner`,
  };
}

/** Sessions of an owner, by the time they were made. */
export function listKeys(owner: string): IndexKeys {
  return indexKeys(`owner:${encoded(owner)}`);
}

/** Part of all sessions, by the time they expire or some time before that. */
export function expiryKeys(shard: number): IndexKeys {
  return indexKeys(`expiry:${shard}`);
}

/** Part of the sessions that have open turns or had some lately. */
export function openKeys(shard: number): IndexKeys {
  return indexKeys(`open:${shard}`);
}

export function shardOf(sessionId: string): number {
  return crc32(sessionId) % SHARDS;
}

/** JSON of the reply that is kept under an idempotency key. */
export function replyKey(owner: string, key: string): string {
  return `${PREFIX}{reply:${encoded(owner)}:${encoded(key)}}`;
}

/** JSON of a ticket. */
export function ticketKey(digest: string): string {
  return `${PREFIX}{ticket:${encoded(digest)}}`;
}

/** Sorted set: digests of the tickets of an owner that wait, by the time they expire. */
export function waitingKey(owner: string): string {
  return `${PREFIX}{tickets:${encoded(owner)}}`;
}

/** How often something happened in its window. */
export function rateKey(key: string): string {
  return `${PREFIX}{rate:${encoded(key)}}`;
}

/** Where a node answers. */
export function nodeKey(node: string): string {
  return `${PREFIX}{node:${encoded(node)}}`;
}

/** Number of the form in which sessions are kept. */
export const FORMAT_KEY = `${PREFIX}{format}`;

/** By what nodes know one another. */
export const SECRET_KEY = `${PREFIX}{secret}`;

function indexKeys(name: string): IndexKeys {
  const tag = `${PREFIX}{${name}}:`;
  return { entries: `${tag}entries`, notes: `${tag}notes` };
}

/** Without braces and colons, whatever a stranger puts into a name. */
function encoded(name: string): string {
  return encodeURIComponent(name.toWellFormed());
}
