import type { TestContext } from 'node:test';
import type { WorkspaceTree } from '../../../src/contract/index.ts';
import { createWorkspaceTree, type TreeOptions } from '../../../src/workspace/tree/create-tree.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from './temporary-workspace.ts';

/** A workspace as its owner sees it, and the same as its tools do. */
export async function temporaryTree(
  t: TestContext,
  options: Partial<TreeOptions> = {},
): Promise<TemporaryWorkspace & { readonly tree: WorkspaceTree }> {
  const place = await temporaryWorkspace(t);
  return { ...place, tree: createWorkspaceTree({ workspace: place.workspace, limit: 2 ** 40, countsAll: true, ...options }) };
}

/** A body that comes in these parts; an error among them is how it breaks off. */
export async function* bodyOf(...parts: (string | Buffer | Error)[]): AsyncGenerator<Buffer, void, void> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield Buffer.from(part);
  }
}

export async function contentOf(tree: WorkspaceTree, path: string): Promise<string> {
  await using file = await tree.open(path);
  return (await allOf(file.read())).toString();
}

export async function allOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}
