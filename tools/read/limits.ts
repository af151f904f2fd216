/** Lines (cells in a notebook) shown when the call gives no limit. */
export const DEFAULT_LINES = 2000;
/** Characters of one line. */
export const LINE_CHARS = 2000;
/** Characters of one result; what does not fit is left to the next call. */
export const RESULT_CHARS = 100_000;
/** Bytes of a text file that is read at once; a larger one is streamed and only the range is kept. */
export const WHOLE_BYTES = 2 * 1024 * 1024;
/** Bytes at the start of a file that tell what it is. */
export const HEAD_BYTES = 64 * 1024;
/** Bytes of an image, PDF or notebook. */
export const MEDIA_BYTES = 32 * 1024 * 1024;
/** Pages of a PDF shown by one call. */
export const PDF_PAGES = 20;
