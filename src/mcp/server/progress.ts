// What a call tells while it runs, as MCP's progress: a number that grows, and a short text.
import type { Progress, ServerContext } from '@modelcontextprotocol/server';

/** How far a call has got, as its client was told. */
export interface Told {
  progress: number;
}

/** Characters of a progress message: the newest of an output. */
const MESSAGE_CHARS = 1_000;

/**
 * Tells the client of progress, when it has asked for that.
 * @param reads false while the client does not read: what comes then is left out
 */
export function progressTeller({ mcpReq }: ServerContext, told: Told, reads: () => boolean): ((data: unknown) => void) | undefined {
  const { _meta: meta } = mcpReq;
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (data) => {
    if (!reads()) return;
    const progress = progressOf(data, told.progress);
    told.progress = progress.progress;
    mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...progress } }).catch(() => {
      // Whoever has left does not hear how the call goes on.
    });
  };
}

/** Numbers of the tool itself are kept as long as they grow; others are counted. */
export function progressOf(data: unknown, last: number): Progress {
  const { progress, total, message, text } = typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {};
  const shown = [text, message, data].find((value) => typeof value === 'string') ?? JSON.stringify(data) ?? '';
  const said = { message: shown.slice(-MESSAGE_CHARS).toWellFormed() };
  if (typeof progress !== 'number' || !(progress > last) || !Number.isFinite(progress)) return { progress: last + 1, ...said };
  return { progress, ...(typeof total === 'number' && total >= progress && { total }), ...said };
}
