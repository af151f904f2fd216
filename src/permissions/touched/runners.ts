// Programs that start others from somewhere in their words.
import type { CommandWord } from '../../contract/index.ts';

const LOADER = /^ld(-\w[\w.-]*)?\.so(\.\d+)*$|^ld-musl-.+\.so\.\d+$/;

const RUNNERS = new Set(
  [
    'ionice chrt taskset chroot unshare nsenter setarch linux32 linux64 x86_64 i386 i486 i586 i686 uname26 prlimit choom setpriv',
    'uclampset capsh numactl runcon aa-exec cgexec cpulimit flock runuser su sg pkexec gosu su-exec setuidgid chpst softlimit envdir',
    'start-stop-daemon daemonize systemd-run systemd-inhibit tini dumb-init run-parts ssh sshpass strace ltrace gdb lldb valgrind',
    'heaptrack rr perf bpftrace watch entr nodemon hyperfine parallel sem busybox toybox coreutils script scriptreplay unbuffer expect',
    'rlwrap catchsegv eatmydata faketime fakeroot fakechroot torsocks torify proxychains proxychains4 tsocks socat dbus-run-session',
    'dbus-launch xvfb-run ssh-agent tmux screen dtach abduco firejail bwrap proot docker podman nerdctl kubectl lxc-attach',
    'nix-shell caffeinate npx pnpx bunx uvx pipx',
  ].flatMap((names) => names.split(' ')),
);

/** Those that do so only behind one of their own words. */
const RUNNERS_BEHIND: ReadonlyMap<string, RegExp> = new Map([
  ['npm', /^(exec|x)$/],
  ['pnpm', /^(exec|dlx)$/],
  ['yarn', /^(exec|dlx)$/],
  ['bun', /^x$/],
  ['uv', /^run$/],
  ['poetry', /^run$/],
  ['pipenv', /^run$/],
  ['hatch', /^run$/],
  ['conda', /^run$/],
  ['bundle', /^exec$/],
  ['rbenv', /^exec$/],
  ['pyenv', /^exec$/],
  ['mise', /^(exec|x)$/],
  ['asdf', /^exec$/],
  ['direnv', /^exec$/],
]);

/** @param words the first is the name */
export function isRunner(name: string, words: readonly CommandWord[]): boolean {
  if (RUNNERS.has(name) || LOADER.test(name)) return true;
  const behind = RUNNERS_BEHIND.get(name);
  return behind !== undefined && words.some(({ value }) => value !== null && behind.test(value));
}
