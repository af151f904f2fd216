/** Names of files by a process or descriptor: which one only the system knows. */
const ELUSIVE = /^\/+(proc(\/|$)|dev\/+fd(\/|$)|dev\/+std(in|out|err)$)/;

/** @param path as a line names it */
export function isElusive(path: string): boolean {
  return ELUSIVE.test(path);
}
