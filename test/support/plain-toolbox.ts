// A session's tools where nothing is deferred and nothing comes from elsewhere.
import type { Tool, Toolbox } from '../../src/contract/index.ts';
import { NO_TOOLS } from './nobody.ts';
import { assemblePool } from '../../src/toolbox/assemble.ts';

export function plainToolbox(builtIn: readonly Tool[]): Toolbox {
  const pool = assemblePool({ builtIn, enable: { platform: process.platform, flags: new Set() } });
  return {
    catalog: pool.catalog,
    index: NO_TOOLS,
    count: pool.count,
    servers: [],
    busy: false,
    hash: (context) => pool.hash(context),
    export: (format, context) => pool.export(format, context),
    deferred: () => [],
    connect: () => Promise.resolve(),
    ready: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
