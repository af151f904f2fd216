import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathText } from '../../src/contract/index.ts';

test('a path is written as code writes it, and keys that look like something else in quotes', () => {
  for (const [path, text] of [
    [[], ''],
    [['todos', 0, 'activeForm'], 'todos[0].activeForm'],
    [[0, 'name'], '[0].name'],
    [['a', 1, 2], 'a[1][2]'],
    [['-i'], '-i'],
    [['$ref', 'ключ'], '$ref.ключ'],
    [['mcp_servers', 'my-docs', 'url'], 'mcp_servers.my-docs.url'],
    [['env', 'A.B', '0'], 'env["A.B"]["0"]'],
    [['a', 'b c', ''], 'a["b c"][""]'],
    [['a"\n]'], '["a\\"\\n]"]'],
  ] as const) {
    assert.equal(pathText(path), text);
  }
});
