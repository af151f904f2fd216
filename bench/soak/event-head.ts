/** The type and number of an event of the log, read from the first characters of its frame; `null` for any other frame. */
export function eventHead(frame: Buffer): { readonly type: string; readonly seq: number } | null {
  const head = /^\{"type":"([a-z_]+)","seq":(\d+)/.exec(frame.toString('utf8', 0, 80));
  return head === null ? null : { type: head[1] ?? '', seq: Number(head[2]) };
}
