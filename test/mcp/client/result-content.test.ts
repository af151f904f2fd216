import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { textOf } from '../../../src/contract/index.ts';
import { contentOf } from '../../../src/mcp/client/result-content.ts';

const one = (block: CallToolResult['content'][number]) => contentOf({ content: [block] });

describe('what a server answers', () => {
  test('is text where it is text', () => {
    assert.equal(
      contentOf({
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      }),
      'a\nb',
    );
    assert.equal(one({ type: 'resource', resource: { uri: 'file:///a', text: 'inside' } }), 'inside');
    assert.equal(one({ type: 'resource_link', uri: 'file:///a', name: 'a', mimeType: 'text/css' }), '[Resource a: file:///a (text/css)]');
  });

  test('is shown by its structure where it has no content, and as nothing where there is nothing', () => {
    assert.equal(contentOf({ content: [], structuredContent: { a: 1 } }), '{"a":1}');
    assert.equal(contentOf({ content: [] }), '(no output)');
  });

  test('is an image or a document where models can see those', () => {
    assert.deepEqual(one({ type: 'image', mimeType: 'image/jpg', data: 'AAAA' }), [
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AAAA' } },
    ]);
    assert.deepEqual(one({ type: 'resource', resource: { uri: 'file:///a', mimeType: 'application/pdf', blob: 'AAAA' } }), [
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } },
    ]);
  });

  test('is told of where models cannot be shown it', () => {
    assert.equal(
      one({ type: 'audio', mimeType: 'audio/wav', data: 'AAAA' }),
      '[An audio recording (audio/wav, 3 bytes) cannot be shown here.]',
    );
    assert.equal(one({ type: 'image', mimeType: 'image/tiff', data: 'AAAA' }), '[An image (image/tiff, 3 bytes) cannot be shown here.]');
    assert.match(
      textOf(one({ type: 'image', mimeType: 'image/png', data: 'A'.repeat(8_000_000) })),
      /6000000 bytes\) cannot be shown here/,
    );
    assert.match(
      textOf(one({ type: 'resource', resource: { uri: 'file:///a', blob: 'AAAA' } })),
      /The resource file:\/\/\/a \(application\/octet-stream/,
    );
  });
});
