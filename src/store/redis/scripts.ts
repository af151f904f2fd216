// The scripts that Redis runs, one an operation. Each says at its top what it takes and gives.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface Script {
  readonly text: string;
  /** By which Redis knows a script that it has run before. */
  readonly sha: string;
}

export const SCRIPTS = {
  commit: read('commit'),
  trim: read('trim'),
  remove: read('remove'),
  settle: read('settle'),
  events: read('events'),
  turns: read('turns'),
  calls: read('calls'),
  used: read('used'),
  indexPut: read('index-put'),
  indexDrop: read('index-drop'),
  leaseAcquire: read('lease-acquire'),
  leaseRenew: read('lease-renew'),
  leaseRelease: read('lease-release'),
  claimKeep: read('claim-keep'),
  ticketRoom: read('ticket-room'),
  rateAdd: read('rate-add'),
};

function read(name: string): Script {
  const text = readFileSync(new URL(`./scripts/${name}.lua`, import.meta.url), 'utf8');
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}
