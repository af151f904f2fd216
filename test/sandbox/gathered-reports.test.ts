import assert from 'node:assert/strict';
import { once, EventEmitter } from 'node:events';
import { describe, test } from 'node:test';
import type { Report } from '../../src/sandbox/messages.ts';
import { gatherReports } from '../../src/sandbox/supervisor/gathered-reports.ts';

const started = (id: number): Report => ({ type: 'started', id, pid: id + 100 });
const failed = (id: number): Report => ({ type: 'failed', id, message: 'no' });

describe('what the helper process tells the service', () => {
  test('says nothing of the start of a command that is over at once', () => {
    const posts: (readonly Report[])[] = [];
    const send = gatherReports((reports) => posts.push(reports));
    send(started(1));
    send(failed(1));
    assert.deepEqual(posts, [[failed(1)]]);
  });

  test('says in order that a command has started before anything else of it, and at once with the news of another', () => {
    const posts: (readonly Report[])[] = [];
    const send = gatherReports((reports) => posts.push(reports));
    const piece = { type: 'output', id: 1, text: 'a' } as unknown as Report;
    send(started(1));
    send(started(2));
    send(piece);
    send(failed(1));
    assert.deepEqual(posts, [[started(1), started(2), piece], [failed(1)]]);
  });

  test('tells of a command that goes on, though nothing else happens', async () => {
    const posted = new EventEmitter();
    const send = gatherReports((reports) => posted.emit('post', reports));
    const post = once(posted, 'post');
    send(started(1));
    assert.deepEqual(await post, [[started(1)]]);
  });
});
