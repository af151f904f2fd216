// Runs in a thread of its own: a large notebook may take seconds to take apart.
import { parentPort, workerData } from 'node:worker_threads';
import { editBytes, type Edited, type EditRequest } from './edit-bytes.ts';

/** What it answers, once. */
export type EditReply = Edited;

// The one place that starts this thread hands it exactly this.
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- A thread has no origin; the rule means windows.
parentPort?.postMessage(editBytes(workerData as EditRequest));
