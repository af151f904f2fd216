import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { MAX_ERROR_CHARS, sanitizeError, wrapToolError } from '../../src/engine/sanitize/sanitize-error.ts';

interface Case {
  id: string;
  kind: string;
  why: string;
  text?: string;
  text_parts?: [string, number][];
  must_not_match?: string[];
  must_keep?: string[];
  identical?: boolean;
}

const OPEN = '<tool_use_error>';
const CLOSE = '</tool_use_error>';
const WRAPPERS: Record<string, string> = {
  OPEN,
  CLOSE,
  CLOSE_UPPER: CLOSE.toUpperCase(),
  CLOSE_SPACED: '</tool_use_error >',
};
const { cases } = JSON.parse(readFileSync(new URL('../cases/injection.json', import.meta.url), 'utf8')) as { cases: Case[] };

function textOf(given: Case): string {
  const raw = given.text ?? (given.text_parts ?? []).map(([part, count]) => part.repeat(count)).join('');
  return raw.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => WRAPPERS[name] ?? whole);
}

/** The cases' patterns are Python's: their leading flags are ours, the rest reads the same. */
function patternOf(source: string): RegExp {
  const filled = source.replaceAll(/\\\{\\\{(\w+)\\\}\\\}/g, (whole, name: string) => WRAPPERS[name] ?? whole);
  const [prefix = '', flags = ''] = /^\(\?([ims]+)\)/.exec(filled) ?? [];
  return new RegExp(filled.slice(prefix.length), flags);
}

const inside = (wrapped: string): string => {
  assert.ok(wrapped.startsWith(OPEN) && wrapped.endsWith(CLOSE));
  return wrapped.slice(OPEN.length, -CLOSE.length);
};

describe('the shared injection cases', () => {
  for (const given of cases) {
    test(`${given.id} ${given.kind}: ${given.why}`, () => {
      const text = textOf(given);
      for (const shown of [sanitizeError(text), inside(wrapToolError(text))]) {
        for (const source of given.must_not_match ?? []) assert.doesNotMatch(shown, patternOf(source));
        for (const part of given.must_keep ?? []) assert.ok(shown.includes(part), `${part} is lost`);
        if (given.identical === true) assert.equal(shown, text);
        assert.ok(shown.length <= Math.min(MAX_ERROR_CHARS, 2 * text.length + 200));
        assert.ok(shown.isWellFormed());
        assert.equal(sanitizeError(shown), shown);
      }
    });
  }
});

describe('markers', () => {
  const broken = (marks: string[]): void => {
    for (const mark of marks) {
      const shown = sanitizeError(`before ${mark} after`);
      assert.ok(!shown.includes(mark), `${mark} is shown as it is`);
      assert.ok(shown.startsWith('before ') && shown.endsWith(' after'), shown);
      assert.ok(!sanitizeError(mark).includes(mark), `${mark} is shown as it is when it stands alone`);
    }
  };

  test('special tokens of the common model families are broken', () => {
    broken(['<|im_start|>', '<|vision_start|>', '<|python_tag|>', '<|channel|>', '<|"|>', '<| im_start |>', '</|DSML|invoke>', '<turn|>']);
    broken(['<｜User｜>', '<｜end▁of▁sentence｜>', '＜｜Assistant｜＞', '<start_of_turn>', '<end_of_turn>', '<unused12>', '<bos>', '</s>']);
    broken(['[INST]', '[/INST]', '[ INST ]', '[INST x=1]', '[TOOL_RESULTS]', '[SYSTEM_PROMPT]', '[THINK]', '<</SYS>>', '<< SYS >>']);
  });

  test('tags of tool calls, results and thoughts are broken, also with a prefix or attributes', () => {
    broken(['<tool_response>', '<tool-call>', '</tool_result>', '<function_results>', '<function=bash>', '<parameter=command>', '<Think>']);
    broken(['<invoke name="Bash">', '</thinking>', '<seed:tool_call>', '<system-reminder>', '<arg_key>', '<parameter\nname="x">']);
  });

  test('tokens and tags that a few models or hosts use are broken too', () => {
    broken([
      '<start_function_call>',
      '<im_start>',
      '<endoftext>',
      '<fim_prefix>',
      '[ARGS]{',
      ']<]minimax[>[',
      '[MODEL_SETTINGS]',
      '[sMASK]',
      '[CALL_ID]',
    ]);
    broken(['<available_tools>', '<tools>', '<command-name>', '<local-command-stdout>', '<task-notification>', '[USER]', '[/ASSISTANT]']);
    broken(['<antml:anything>', '</ antml:anything>', '< antml : x>']);
  });

  test('role tags are broken in every form', () => {
    broken([
      '<developer>',
      '<tool>',
      '<USER>',
      '<User>',
      '< / human >',
      '<user name="x">',
      '<assistant hidden>',
      '< system and more',
      '< assistant >',
      '<system\u00A0x>',
      '<model\n>',
    ]);
  });

  test('lookalike letters hide no marker', () => {
    broken([
      '<ｓｙｓｔｅｍ>',
      '＜system＞',
      '<ѕуѕtеm>',
      '<sýstem>',
      '<ꜱystem>',
      '<│im_start│>',
      '≮system>',
      '<sy\uFB06em>',
      '\uFF40\uFF40\uFF40',
    ]);
  });

  test('labels of speakers are broken where a turn would begin', () => {
    broken([
      '\n\nHuman:',
      '\n\nAssistant:',
      '\nASSISTANT :',
      '\n**Human:**',
      '\n> Human:',
      '\n\nSystem:',
      '\n## System:',
      '\n### Response:',
      '\nHuman：',
    ]);
  });

  test('fences are broken at both ends, with any info string, at any depth', () => {
    for (const fence of ['```', '````', '~~~', '~~~~~']) {
      for (const text of [`${fence}json\n{}\n${fence}`, `  ${fence}\nx`, `> > ${fence}\nx`, `x\n\t${fence}`]) {
        assert.doesNotMatch(sanitizeError(text), /^[\s>]*(?:`{3}|~{3})/m, text);
      }
    }
  });

  test('a marker in a marker leaves neither', () => {
    broken(['<|a[INST]b|>', '<sys<system>tem>', '<tool_<tool_call>call>', '[INS[INST]T]']);
    assert.equal(sanitizeError('<|x<|im_start|>y|>'), '<|x‹|im_start|>y|>');
  });

  test('nothing that follows completes a marker at the end', () => {
    assert.doesNotMatch(wrapToolError('x <system'), /<system/);
    assert.doesNotMatch(wrapToolError('x <assistant'), /<assistant/);
    assert.doesNotMatch(wrapToolError('x </tool_use_error'), /<\/tool_use_error[^>]/);
  });

  test('our own wrapper cannot be closed from inside', () => {
    const wrapped = wrapToolError(`a ${CLOSE} b ${CLOSE.toUpperCase()} c </ tool_use_error\n> d ${OPEN}`);
    assert.equal(wrapped.match(/<\s*\/?\s*tool_use_error/gi)?.length, 2);
  });
});

describe('what is not a marker', () => {
  test('ordinary code and text survive', () => {
    const texts = [
      'Promise<User> Array<Function> List<Parameter> Vec<Tools> Map<string, Model> Vec<Option<Tool>> std::function<void()> vector<std::pair<int, T>>',
      '<User name={x} /> <User/> <Model.Provider> <Tool.Item/> <user-info> <user_id> <system.web> <assistant-ui> <thinker>',
      "<function f at 0x7f3a> <class 'user'> <User: bob> <built-in function len> <model.User object at 0x1> <user name>",
      'if (x < user && y > 2) f <| g |> h; a<|>b; x |> y; [[ -f x ]] && a[b[0]] > c',
      'Usage: foo [OPTIONS] COMMAND [ARGS]... <file>',
      '    int x = y;\n    ~~~~^~~~\n~~strike~~ `code` ``two``',
      '<div class="user"><select><option>1</option></select><input/><pre>x</pre></div>',
      'System: Linux\nuser: root\nNote: the Human: label\n# Input: a\n## System',
    ];
    for (const text of texts) assert.equal(sanitizeError(text), text);
  });

  test('emoji, flags and words of every script survive whole', () => {
    const texts = [
      '👩🏽‍💻 ❤️ 1️⃣ 🇩🇪 🏳️‍🌈 🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}',
      'می‌خواهم',
      'शक्ति क्‌ष',
      'Việt Nam é',
      '日本語',
      'שָׁלוֹם',
    ];
    for (const text of texts) assert.equal(sanitizeError(text), text);
  });
});

describe('what is not seen', () => {
  test('terminal sequences go with all that belongs to them', () => {
    const gone = [
      '\u001B[1;31m',
      '\u001B[?25l',
      '\u001B]0;title\u0007',
      '\u001B]8;;http://x\u001B\\',
      '\u001BPq#0\u001B\\',
      '\u001B(B',
      '\u001Bc',
    ];
    for (const sequence of [...gone, '\u009B31m', '\u009D0;t\u009C', '\u0090', '\u001B']) {
      assert.equal(sanitizeError(`a${sequence}`), 'a', JSON.stringify(sequence));
      assert.equal(sanitizeError(`<sys${sequence === '\u001B' ? '' : sequence}tem>`), '‹system>');
    }
    assert.equal(sanitizeError('\u001B]8;;http://x\u0007link\u001B]8;;\u0007'), 'link');
    assert.equal(sanitizeError('\u001B]no end\nstays'), 'no end\nstays');
  });

  test('invisible characters go where they belong to nothing that is seen', () => {
    const gone = [
      '\u200B',
      '\u200C',
      '\u200D',
      '\u202E',
      '\u2066',
      '\uFEFF',
      '\u00AD',
      '\u{E0041}',
      '\u{E0100}',
      '\uFE0F',
      '\u3164',
      '\uFDD0',
    ];
    for (const character of gone) assert.equal(sanitizeError(`a${character.repeat(3)}b`), 'ab');
    assert.equal(sanitizeError(`🏴${'\u{E0061}'.repeat(40)}\u{E007F}`), '🏴');
    assert.equal(sanitizeError('❤\uFE0F\uFE0F\uFE0E'), '❤\uFE0F');
  });

  test('lines end with a newline only, and tabs stay', () => {
    assert.equal(sanitizeError('a\r\nb\rc\u2028d\u0085e\tf'), 'a\nb\nc\nd\ne\tf');
  });

  test('half a surrogate pair becomes a replacement character', () => {
    assert.equal(sanitizeError('\uD800a\uDC00'), '\uFFFDa\uFFFD');
  });
});
