// Local servers as the public web: reached through the real guarded way out, which an exemption of the operator's opens.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { joinWeb, type WebOptions } from '../../src/composition/web.ts';
import type { Web } from '../../src/contract/index.ts';
import { parseEgress } from '../../src/network/egress.ts';
import { createGuardedFetch } from '../../src/network/guarded-fetch.ts';

/** A test, or the tests of a file together. */
export interface Span {
  after(end: () => Promise<unknown>): void;
}

/** Serves on this machine until the tests end. @returns the server's origin */
export async function serve(tests: Span, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  tests.after(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The web with all that is on this machine open. */
export function localWeb(tests: Span, config: WebOptions['config'] = {}): Web {
  const guarded = createGuardedFetch({ egress: parseEgress(['127.0.0.0/8']) });
  tests.after(() => guarded.close());
  return joinWeb({ config, guardedFetch: (url, request) => guarded.fetch(url, request) });
}
