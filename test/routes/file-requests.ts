import type { TestServer } from '../support/server.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly text: string;
}

/** Requests about what belongs to one session, by the end of their address. */
export function requestsOf(server: Pick<TestServer, 'url'>, session: string) {
  return async (method: string, path: string, { body, ...headers }: Record<string, string | Buffer> = {}): Promise<Answer> => {
    const response = await fetch(`${server.url}/v1/sessions/${session}/${path}`, {
      method,
      headers: headers as Record<string, string>,
      ...(body !== undefined && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, bytes, text: bytes.toString() };
  };
}

/** What a problem is, as `status slug`. */
export function problemOf({ status, headers, text }: Answer): string {
  const isProblem = headers.get('content-type')?.startsWith('application/problem+json') === true;
  return `${status} ${isProblem ? (JSON.parse(text) as { type: string }).type.replace('/problems/', '') : text}`;
}
