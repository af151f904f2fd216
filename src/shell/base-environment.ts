// What programs of a session have in their environment, whoever starts them. Nothing of the service's own: it holds keys.
import { userInfo } from 'node:os';

export const USER_NAME = userName();

export const BASE_ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
  TMPDIR: '/tmp',
  USER: USER_NAME,
};

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return 'user';
  }
}
