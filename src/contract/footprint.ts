/**
 * What a call reads and writes. What begins with `/` is an absolute path, with all that lies below it; anything else is the name
 * of something that is no file, such as `todos`.
 */
export interface Footprint {
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
}
