import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { operatorServersSchema, sessionServersSchema } from '../../../src/mcp/client/server-settings.ts';

const options = { mayChange: (name: string) => name !== 'PATH' };
const session = sessionServersSchema(options);
const operator = operatorServersSchema(options);
const STDIO = { type: 'stdio', command: './server.js' };
const HTTP = { type: 'http', url: 'https://example.com/mcp' };

describe('mcp_servers', () => {
  test('take programs and URLs, with nothing else set', () => {
    assert.deepEqual(session.parse({ docs: STDIO, web: HTTP }), {
      docs: { ...STDIO, args: [], env: {} },
      web: { ...HTTP, headers: {} },
    });
    assert.equal(operator.safeParse({ docs: { ...STDIO, sandbox: false, timeout_ms: 5_000 } }).success, true);
  });

  const refused: [why: string, servers: Record<string, unknown>][] = [
    ['a name that would not tell where it ends', { a__b: STDIO }],
    ['a name that ends in an underscore', { a_: STDIO }],
    ['a name with other characters', { 'a b': STDIO }],
    ['a name that is too long', { ['x'.repeat(41)]: STDIO }],
    ['a server outside of the sandbox', { a: { ...STDIO, sandbox: false } }],
    ['a variable that changes how programs load', { a: { ...STDIO, env: { PATH: '/tmp' } } }],
    ['a NUL character', { a: { ...STDIO, args: ['a\0b'] } }],
    ['a header of the protocol', { a: { ...HTTP, headers: { 'Mcp-Session-Id': 'x' } } }],
    ['a header for a proxy', { a: { ...HTTP, headers: { 'Proxy-Authorization': 'x' } } }],
    ['a header with a line break', { a: { ...HTTP, headers: { x: 'a\r\nb: c' } } }],
    ['a URL with a password', { a: { ...HTTP, url: 'https://user:word@example.com/' } }],
    ['a URL of another kind', { a: { ...HTTP, url: 'file:///etc/passwd' } }],
    ['an unknown key', { a: { ...HTTP, token: 'x' } }],
    ['more servers than anybody needs', Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`s${index}`, STDIO]))],
  ];
  for (const [why, servers] of refused) test(`refuse ${why}`, () => assert.equal(session.safeParse(servers).success, false));
});
