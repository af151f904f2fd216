// The port to a session's workspace for its owner, who moves files in and out: not for tools, which have SessionFiles.
// Paths are relative to the workspace; one that leads out of it, also over a link, is refused.

export const TREE_ENTRY_TYPES = ['file', 'directory', 'link', 'other'] as const;
export type TreeEntryType = (typeof TREE_ENTRY_TYPES)[number];

/** Something in a directory, links not followed. */
export interface TreeEntry {
  readonly name: string;
  /** `other`: a pipe, a socket, a device. */
  readonly type: TreeEntryType;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
}

/** Both ends count. */
export interface TreeRange {
  readonly start: number;
  readonly end: number;
}

/** A regular file, held open: what replaces it meanwhile does not change what is read. Closed by `await using`, or by whoever reads it to the end. */
export interface OpenTreeFile extends AsyncDisposable {
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
  /** A strong validator in its quotes: of the content for small files, otherwise of what changes with every write. */
  readonly etag: string;
  /** Reads once, and closes the file at the end, also when the reader leaves. @throws FileError `changed` when it has become shorter */
  read(range?: TreeRange): AsyncIterable<Uint8Array>;
}

/**
 * Judges what stands where something is about to be changed; what it throws ends the call and nothing is changed.
 * Called before anything is read, and again at the last moment.
 * @param etag `null` where nothing is, the empty string for what has none (a directory, a link)
 */
export type Precondition = (etag: string | null) => void;

export interface TreeUpload {
  readonly body: AsyncIterable<Uint8Array>;
  /** Bytes that the body says it has, so that one too long is refused unread. */
  readonly length?: number | undefined;
  readonly precondition?: Precondition | undefined;
}

/**
 * Methods throw FileError: `not_found`, `outside`, `denied`, `not_a_file` (a directory where a file is asked for, or the
 * other way round), `exists` (a directory that is not empty), `changed` (replaced at this very moment).
 * Problems: `invalid-request` for a path or an archive that cannot be, `quota-exceeded` for what does not fit.
 */
export interface WorkspaceTree {
  /** What is at a path, links followed. The empty path is the workspace. */
  look(path: string): Promise<TreeEntry>;
  /** A page of a directory, in the order of code points. @param page `cursor`: `nextCursor` of the page before */
  list(path: string, page: { limit: number; cursor?: string | undefined }): Promise<{ entries: TreeEntry[]; nextCursor: string | null }>;
  open(path: string): Promise<OpenTreeFile>;
  /** Makes or replaces a file in one step, and its parents; a body that breaks off leaves nothing behind. */
  put(path: string, upload: TreeUpload): Promise<{ created: boolean; size: number; etag: string }>;
  /** Removes a file, a link (not what it leads to) or a directory; never the workspace itself. */
  remove(path: string, options?: { recursive?: boolean; precondition?: Precondition | undefined }): Promise<void>;
  /** The workspace as a tar archive: files, directories and links. */
  pack(): AsyncIterable<Uint8Array>;
  /** Puts what an archive holds into the workspace, once all of it has come and been found harmless. */
  unpack(upload: Omit<TreeUpload, 'precondition'>): Promise<{ files: number; bytes: number }>;
}
