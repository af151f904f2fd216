// `[[ … ]]` compares without splitting words, but `-eq` and its kin, `-v` and `-R` evaluate what they are given.
import type { TestExpression, Word } from 'unbash';
import { isNumeric } from './arithmetic.ts';
import { isHarmlessWord } from './expansions.ts';
import type { Scope } from './scope.ts';

const UNARY = /^-[a-hknoprsuwxzGLNOS]$/;
const OF_TEXT = /^(=|==|!=|<|>|=~|-nt|-ot|-ef)$/;
const OF_NUMBERS = /^-(eq|ne|lt|le|gt|ge)$/;

/** Whether evaluating the condition only reads. */
export function isReadingCondition(expression: TestExpression, scope: Scope): boolean {
  switch (expression.type) {
    case 'TestUnary':
      if (expression.operator === '-t') return /^\d+$/.test(expression.operand.text);
      return UNARY.test(expression.operator) && isHarmlessWord(expression.operand, scope);
    case 'TestBinary': {
      const words = [expression.left, expression.right];
      if (OF_NUMBERS.test(expression.operator)) return words.every((word) => isNumber(word, scope));
      return OF_TEXT.test(expression.operator) && words.every((word) => isHarmlessWord(word, scope));
    }
    case 'TestLogical':
      return expression.operands.every((operand) => isReadingCondition(operand, scope));
    case 'TestNot':
      return isReadingCondition(expression.operand, scope);
    case 'TestGroup':
      return isReadingCondition(expression.expression, scope);
  }
}

function isNumber({ text }: Word, scope: Scope): boolean {
  return isNumeric(text.replace(/^"(.*)"$/, '$1').replace(/^-(?=\d)/, ''), scope);
}
