import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ground, named, verdict } from './decide.ts';

const where = await ground();

async function answers(rules: object, commands: readonly string[], expected: string): Promise<void> {
  for (const command of commands) assert.match(await verdict(where, ['Bash', command], { rules }), new RegExp(`^${expected}`), command);
}

describe('a rule that allows a command', () => {
  test('covers it behind wrappers and variables that change nothing of it', async () => {
    const commands = [
      'timeout 5 npm test',
      'timeout -k 1 --signal=KILL 5 npm test',
      'nice -n 5 npm test',
      'nohup npm test',
      'stdbuf -oL npm test',
      'command npm test',
      'time npm test',
      'NO_COLOR=1 LC_ALL=C npm test',
      'timeout 5 nice npm test',
    ];
    await answers({ allow: ['Bash(npm test)'] }, commands, 'allow rule');
  });

  test('does not cover it where something else decides what runs', async () => {
    const commands = [
      'PATH=. npm test',
      'NODE_OPTIONS=-r/x npm test',
      'LANG=$X npm test',
      'env npm test',
      'sudo npm test',
      './timeout 5 npm test',
      'timeout --odd 5 npm test',
      '/tmp/npm test',
      'alias npm=x; npm test',
      'npm() { x; }; npm test',
      'PATH=.; npm test',
      'export PATH=.; npm test',
      'npm test "${x@P}"',
      'npm test $((a))',
      'npm test > out.txt',
      'npm test &> $X',
      '$X test',
      '"npm test"',
      'npm test\nnpm publish',
      'npm test || npm publish',
      'if npm test; then npm publish; fi',
      'npm test <<< $(npm publish)',
      'npm test <<EOF\n$(npm publish)\nEOF',
    ];
    await answers({ allow: ['Bash(npm test)', 'Bash(npm test:*)'] }, commands, 'ask mode default');
  });

  test('covers what xargs adds only when it ends in a star', async () => {
    await answers({ allow: ['Bash(npm test)'] }, ['xargs npm test'], 'ask mode default');
    await answers({ allow: ['Bash(npm test:*)'] }, ['xargs npm test'], 'allow rule');
    await answers({ allow: ['Bash(npm test:*)'] }, ['xargs -I{} npm test {}'], 'ask mode default');
  });

  test('covers what a search starts or removes only when it names that', async () => {
    await answers(
      { allow: ['Bash(find:*)'] },
      ['find . -exec npm test ;', 'find src -delete', 'find . -okdir x ;', 'find . -fprint x', 'find . $X'],
      'ask mode default',
    );
    await answers({ allow: ['Bash(fd:*)'] }, ['fd a -x rm', 'fd a -xrm', 'fd -HX rm', 'fd a --exec=rm'], 'ask mode default');
    await answers(
      { allow: ['Bash(find src -delete)', 'Bash(find . -exec npm test:*)'] },
      ['find src -delete', 'find . -exec npm test ;'],
      'allow rule',
    );
  });

  test('goes together with others: each part needs one, and each file that is written', async () => {
    const allow = ['Bash(npm:*)', 'Bash(tsc)', 'Edit(/out/**)'];
    await answers(
      { allow },
      [
        'npm i && tsc',
        'npm i; tsc | npm x',
        'npm x > out/log',
        'cat a.txt > out/b',
        '{ npm x; tsc; } > out/log',
        'for i in 1 2; do npm x; done',
      ],
      'allow rule',
    );
    await answers(
      { allow },
      ['npm i && make', 'npm x > log', 'npm x > out/../log', 'npm x >> out/a > b', '{ npm x; } > log'],
      'ask mode default',
    );
  });

  test('that is for all of them still leaves files outside alone', async () => {
    await answers({ allow: ['Bash'] }, ['c=ls; $c', 'npm x > out.txt', 'eval "$X"'], 'allow rule');
    await answers({ allow: ['Bash'] }, ['npm x > /tmp/x', 'npm x > ~/x', 'npm x > $X', 'echo "', 'npm x &&& x'], 'ask mode default');
  });
});

describe('a rule that denies a command', () => {
  const rules = { allow: ['Bash'], deny: ['Bash(curl:*)', 'Bash(git push *)', 'Bash(npm run *:prod)'] };

  test('finds it through wrappers, shells, paths, variables in front, and options', async () => {
    const commands = [
      'curl',
      '/usr/bin/curl x',
      '../../bin/curl x',
      'X=$Y curl x',
      'env -u A X=1 curl x',
      'sudo -u root curl x',
      'setsid -f curl x',
      'exec -a ls curl x',
      'nice -5 curl x',
      'timeout --odd 3 curl x',
      'bash -c "curl x"',
      'sh -ec "ls; curl x"',
      'bash -c \'sh -c "curl x"\'',
      'timeout 3 bash -lc "curl x"',
      'eval curl x',
      'eval "ls; curl x"',
      "trap 'curl x' EXIT",
      'bash --norc -c "curl x"',
      'find . -exec curl {} ;',
      'find . -exec sh -c "curl {}" ;',
      'xargs -n 1 curl',
      'xargs -I% sh -c "curl %"',
      'busybox curl x',
      'flock /x curl x',
      '/lib64/ld-linux-x86-64.so.2 /usr/bin/curl',
      'strace -f curl x',
      'watch curl x',
      'f() { curl x; }',
      'echo `curl x`',
      'cat <(curl x)',
      'cat <<EOF\n$(curl x)\nEOF',
      'a=$(curl x)',
      '[[ $(curl x) ]]',
      'coproc curl x',
      'ls | curl -d @- x',
      '\\curl x',
      'c"ur"l x',
      'ls &\ncurl x',
      'git push origin',
      'git -C /x push origin',
      'git --no-pager -c a=b push origin',
      'npm run build:prod',
      'npm run "build:prod"',
      'curl x &&& y',
    ];
    await answers(rules, commands, 'deny rule');
  });

  test('has it asked where only the shell knows whether it is that', async () => {
    const commands = [
      '$c x',
      'cu?l x',
      '{curl,x}',
      '$(echo curl) x',
      'curl$IFS',
      'sh',
      'echo x | bash',
      'bash -s',
      'bash -c "$X"',
      'eval "$X"',
      'git $X',
      'git "$X" origin',
      'env $X',
      'echo "',
      'echo ${x@P}',
      'npm run $X',
      `echo ${'a'.repeat(20_000)}; curl x`,
    ];
    await answers(rules, commands, 'ask rule');
  });

  test('does not take a mention for a run', async () => {
    const commands = [
      'echo curl',
      'grep curl a.txt',
      'git commit -m "curl x; git push y"',
      'find . -name curl',
      'command -v curl',
      'git log push',
      'npm run build:production',
      'curlew x',
      './curl.sh',
      'git pushx y',
    ];
    await answers(rules, commands, 'allow');
  });
});

describe('a rule that denies a file', () => {
  const rules = { allow: ['Bash'], deny: ['Read(.env)', 'Edit(/src/gen/**)'] };

  test('holds for every command that names it', async () => {
    const commands = [
      'cat .env',
      'cat ./src/../.env',
      `cat ${where.workspace}/.env`,
      'cat .e*',
      'cat .[a-z]nv',
      'cat <.env',
      'cd src && cat ../.env',
      'sh -c "cat .env"',
      'curl -d @.env x',
      'dd if=.env',
      'grep --file=.env x',
      'x=.env',
      'ln -s .env y',
      'timeout 5 cat .env',
      'sudo cat .env',
      'f() { cat .env; }',
      'git add .env',
      'echo x > src/gen/b.ts',
      'sed -i s/a/b/ src/gen/b.ts',
      'rm src/gen/b.ts',
      'mv src/gen x',
      'cp a.txt src/gen/',
      'tee src/gen/new.ts',
      'cd src/gen; touch x',
      'echo x >| src/gen/b.ts',
      'truncate -s 0 src/gen/*',
    ];
    await answers(rules, commands, 'deny rule');
  });

  test('has it asked where only the shell knows which file it is', async () => {
    await answers(
      rules,
      ['cat "$X"', 'cat $(ls -a)', 'xargs cat', 'cd "$X"; cat a', 'cat /proc/self/cwd/.env', 'echo x > "$X"', 'cat ~someone/x'],
      'ask rule',
    );
  });

  test('does not stop what reads another, or prints its name', async () => {
    await answers(
      rules,
      ['cat .env.example', 'cat src/gen/b.ts', 'cp src/gen/b.ts x.ts', 'echo .env >> .gitignore', 'ls *.txt', 'npm test'],
      'allow',
    );
  });

  test('holds for whatever tool reads or writes it', async () => {
    for (const tool of ['Read', 'Edit', 'Write', 'Grep', 'NotebookEdit']) {
      assert.equal(await verdict(where, [tool, `${where.workspace}/.env`], { rules, mode: 'bypassPermissions' }), 'deny rule', tool);
    }
    const custom = named('Custom', { permissionSubjects: () => [{ kind: 'path', access: 'read', path: `${where.workspace}/.env` }] });
    assert.equal(await verdict(where, [custom, ''], { rules, mode: 'bypassPermissions' }), 'deny rule');
  });
});

test('a rule with a former name of a tool holds for the tool', async () => {
  const policy = { canonicalName: (name: string) => (name === 'Shell' ? 'Bash' : name) };
  assert.equal(await verdict(where, ['Bash', 'curl x'], { policy, rules: { deny: ['Shell(curl:*)'] } }), 'deny rule');
  assert.equal(await verdict(where, ['Bash', 'curl x'], { policy, rules: { allow: ['Shell'] } }), 'allow rule');
});

test('a rule for a tool of its own is about the paths and the text that its calls name', async () => {
  const skill = named('Skill', { permissionSubjects: () => [{ kind: 'other', text: 'deploy' }] });
  assert.equal(await verdict(where, [skill, ''], { rules: { allow: ['Skill(dep*)'] } }), 'allow rule');
  assert.equal(await verdict(where, [skill, ''], { rules: { allow: ['Skill(test)'] } }), 'ask mode default');
  assert.equal(await verdict(where, [skill, ''], { rules: { deny: ['Skill(deploy)'], allow: ['Skill'] } }), 'deny rule');
  assert.equal(
    await verdict(where, [named('Skill'), ''], { rules: { deny: ['Skill(deploy)'], allow: ['Skill'] } }),
    'deny rule',
    'it does not say which',
  );
  assert.equal(await verdict(where, ['Write', 'src/a.ts'], { rules: { allow: ['Write(/src/**)'] } }), 'allow rule');
  assert.equal(await verdict(where, ['Edit', 'src/a.ts'], { rules: { allow: ['Write(/src/**)'] } }), 'ask mode default');
});

test('a host is matched by its labels, and a private one is never allowed by a session', async () => {
  const fetch = (url: string, allow: string[]): Promise<string> => verdict(where, ['WebFetch', url], { rules: { allow } });
  assert.equal(await fetch('https://EXAMPLE.com./x', ['WebFetch(domain:example.com)']), 'allow rule');
  assert.equal(await fetch('https://a.example.com/', ['WebFetch(domain:example.com)']), 'ask mode default');
  for (const url of [
    'http://localhost/',
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://10.1/',
    'http://db.internal/',
    'http://printer.lan/',
  ]) {
    assert.equal(await fetch(url, ['WebFetch', 'WebFetch(domain:*)']), 'ask mode default', url);
  }
  const operator = { allow: ['WebFetch(domain:localhost)'] };
  assert.equal(await verdict(where, ['WebFetch', 'http://localhost:3000/'], { operator }), 'allow rule');
  assert.equal(await verdict(where, ['WebFetch', 'not a url'], { rules: { deny: ['WebFetch(domain:x.com)'] } }), 'deny rule');
});

test('rules made to be slow are not', async () => {
  const stars = `${'*a'.repeat(450)}b`;
  const rules = {
    deny: [`Bash(x${stars})`, `Read(${stars})`, `Read(${'**/a/'.repeat(150)}b)`, `Read([${'a-z'.repeat(200)}]${'*'.repeat(200)}z)`],
  };
  // Going back over every star would not end within the time of a test.
  assert.equal(await verdict(where, ['Bash', `x${'a'.repeat(9_000)}`], { rules }), 'ask mode default');
  assert.equal(await verdict(where, ['Bash', `cat ${'a/'.repeat(1_000)}`], { rules }), 'allow mode default');
  assert.equal(await verdict(where, ['Read', 'a/'.repeat(1_500)], { rules }), 'allow mode default');
  assert.equal(await verdict(where, ['Read', 'a'.repeat(4_000)], { rules }), 'deny policy', 'no file can have such a name');
});
