import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ground, verdict, type Asked } from './decide.ts';

const where = await ground();
await symlink(where.workspace, join(where.workspace, 'me'));
const { workspace, home } = where;

describe('a removal of everything', () => {
  const critical = [
    'rm -rf /',
    'rm -rf /*',
    'rm -r -f -- /',
    'sudo rm -rf /',
    'rm -rf //',
    'rm -rf /usr/..',
    '/bin/rm -rf /',
    "sh -c 'rm -rf /'",
    'x=1 rm -rf /',
    'true && rm -fr /',
    'rm -rf ~',
    'rm -rf ~/',
    'rm -rf ~/*',
    `rm -rf ${home}`,
    'rm -rf $HOME',
    'rm -rf "$HOME"',
    'rm -rf "$X"/*',
    `rmdir ${home}`,
    'rm -rf .',
    'rm -rf ./',
    'rm -rf *',
    'rm -rf ./*',
    'rm -rf ..',
    'rm -rf src/..',
    `rm -rf ${workspace}`,
    `rm -rf ${workspace}/*`,
    'rm -rf me/',
    'rm -rf me/*',
    'cd src && rm -rf ..',
    'rm -rf "$PWD"',
    'find . | xargs rm -rf',
    'cd "$X" && rm -rf *',
    'eval "rm -rf /"',
    'rm --recursive /',
    'cd gone; rm -rf *',
    'rm -rf [!x]*',
    'bash -o pipefail -c "rm -rf ."',
    "env -S'rm -rf .'",
    'echo / | xargs -I% rm -rf %',
    'linux64 rm -rf .',
    'env -C / rm -rf usr/..',
    'npx rimraf .',
    'git rm -rf .',
    'find / -delete',
    'find ~ -delete',
    'find -delete',
    'find . -mindepth 1 -type f -delete',
    "find . -name '*' -delete",
    'find . -not -name keep -delete',
    'find . -exec rm -rf {} +',
    'find "$X" -delete',
    'git clean -fdx',
    'git clean -xdff .',
    'git clean -fd -e keep',
    'git -C src/.. clean -fdx',
    'cd src && git clean -fdx',
  ];

  test('is asked for, whatever the rules, the hook, the mode and the sandbox say', async () => {
    for (const command of critical) {
      const all: Asked[] = [
        { rules: { allow: ['Bash', 'Bash(rm:*)', 'Edit'] }, operator: { allow: ['Bash'] } },
        { mode: 'bypassPermissions' },
        { mode: 'acceptEdits', policy: { sandboxed: true, autoAllowCommands: true } },
        { hook: { behavior: 'allow' } },
      ];
      for (const asked of all)
        assert.equal(await verdict(where, ['Bash', command], asked), 'ask policy', `${command} ${JSON.stringify(asked)}`);
      assert.equal(await verdict(where, ['Bash', command], { mode: 'dontAsk', rules: { allow: ['Bash'] } }), 'deny mode dontAsk', command);
    }
  });

  test('is not seen in the removal of a part', async () => {
    const commands = [
      'rm -rf src',
      'rm -rf src/*',
      'rm -rf ./src/gen',
      'rm a.txt',
      'rm *.txt',
      'rm "$X"',
      'cd src && rm -rf gen',
      'rmdir src/x',
      'echo rm -rf /',
      "git commit -m 'rm -rf /'",
      'rm -rf build-*',
      "find . -name '*.pyc' -delete",
      'find . -name node_modules -type d -exec rm -rf {} +',
      'find src -delete',
      "find . -name '*.ts' -exec wc -l {} +",
      'git clean -n -dx',
      'git clean -fdx build/',
      'git clean -f',
      'git rm -r src',
      'npx rimraf dist',
    ];
    for (const command of commands)
      assert.equal(await verdict(where, ['Bash', command], { mode: 'bypassPermissions' }), 'allow mode bypassPermissions', command);
  });
});
