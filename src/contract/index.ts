// The words everyone shares. Imports nothing of ours from outside this folder.
export * from './build-tool.ts';
export * from './catalog.ts';
export * from './command-runner.ts';
export * from './content.ts';
export * from './context.ts';
export * from './error.ts';
export * from './event.ts';
export * from './is-within.ts';
export * from './outcome.ts';
export * from './output-files.ts';
export * from './policy.ts';
export * from './session-files.ts';
export * from './store.ts';
export * from './tool.ts';
export * from './view.ts';
