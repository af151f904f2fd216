// What of a request and its reply is for the other side, and what was for this node alone.
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { OF_BODY, passesOn } from '../contract/index.ts';

/** What the first node has judged, or answers itself. */
const JUDGED = /^(authorization|cookie|origin|referer|sec-.*|access-control-.*)$/;

type Headers = Record<string, string | string[]>;

/** Of a request. A length stays only where a body goes with it. */
export function headersToForward(headers: IncomingHttpHeaders, withBody: boolean): Headers {
  const passes = passesOn(headers);
  return pick(headers, (name) => passes(name) && !JUDGED.test(name) && (withBody || !OF_BODY.test(name)));
}

/** Of a reply: the owner's, and above them what this node says of itself. */
export function headersToReturn(headers: IncomingHttpHeaders, own: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const vary = [headers.vary, own['vary']].flat().filter((value) => value !== undefined);
  return {
    ...pick(headers, passesOn(headers)),
    ...own,
    ...(vary.length > 0 && { vary: vary.join(', ') }),
    // What is left of the body is not read by anybody.
    ...(/\bclose\b/i.test(headers.connection ?? '') && { connection: 'close' }),
  };
}

/** Path and query of a request, without a ticket: it was used up. */
export function pathToForward(url: string): string {
  const [path, query] = splitOnce(url.replace(/^https?:\/\/[^/?]*/i, ''), '?');
  const kept = query?.split('&').filter((part) => !new URLSearchParams(part).has('ticket'));
  return kept === undefined || kept.length === 0 ? path : `${path}?${kept.join('&')}`;
}

function pick(headers: IncomingHttpHeaders, passes: (name: string) => boolean): Headers {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value !== undefined && passes(name) ? [[name, value]] : [])),
  );
}

function splitOnce(text: string, mark: string): [string, string?] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
