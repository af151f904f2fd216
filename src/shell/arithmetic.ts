// Arithmetic is a trap: bash evaluates the values of names, and subscripts in them, as code. Only numbers, and variables
// that hold nothing else, are accepted.
import type { ArithmeticExpression } from 'unbash';
import type { Scope } from './scope.ts';

const ASSIGNING = /^([*/%+\-&^|]|<<|>>)?=$/;
const STEPPING = /^(\+\+|--)$/;
/** A number, perhaps with a base; a name would be evaluated. */
const NUMBER = /^\d[\w#]*$/;
/** What bash itself sets to a number: counts, exit codes and lengths, and special variables that keep their meaning. */
const COUNT = /^\$[#?$]$|^\$\{#\w+\}$|^\$?(RANDOM|SECONDS|LINENO|UID|EUID|PPID)$/;
const VARIABLE = /^(?:([a-z][a-z0-9_]*)|\$([a-z][a-z0-9_]*)|\$\{([a-z][a-z0-9_]*)\})$/;

/** Whether this text, as an arithmetic operand, stands for a number and runs nothing. */
export function isNumeric(text: string, { integers }: Pick<Scope, 'integers'>): boolean {
  if (NUMBER.test(text) || COUNT.test(text)) return true;
  const [, ...names] = VARIABLE.exec(text) ?? [];
  return names.some((name) => name !== undefined && integers.has(name));
}

/** Whether evaluating this only computes. */
export function isPlainArithmetic(expression: ArithmeticExpression, scope: Scope): boolean {
  switch (expression.type) {
    case 'ArithmeticWord':
      return isNumeric(expression.value, scope);
    case 'ArithmeticGroup':
      return isPlainArithmetic(expression.expression, scope);
    case 'ArithmeticUnary':
      return !STEPPING.test(expression.operator) && isPlainArithmetic(expression.operand, scope);
    case 'ArithmeticBinary':
      return (
        !ASSIGNING.test(expression.operator) && isPlainArithmetic(expression.left, scope) && isPlainArithmetic(expression.right, scope)
      );
    case 'ArithmeticTernary':
      return [expression.test, expression.consequent, expression.alternate].every((part) => isPlainArithmetic(part, scope));
    case 'ArithmeticCommandExpansion':
      return false;
  }
}

/** As {@link isPlainArithmetic}, and it may set variables of the script that hold integers: what `((…))` is for. */
export function isCountingArithmetic(expression: ArithmeticExpression, scope: Scope): boolean {
  if (expression.type === 'ArithmeticBinary' && expression.operator === ',') {
    return isCountingArithmetic(expression.left, scope) && isCountingArithmetic(expression.right, scope);
  }
  if (expression.type === 'ArithmeticBinary' && ASSIGNING.test(expression.operator)) {
    return isInteger(expression.left, scope) && isPlainArithmetic(expression.right, scope);
  }
  if (expression.type === 'ArithmeticUnary' && STEPPING.test(expression.operator)) return isInteger(expression.operand, scope);
  return isPlainArithmetic(expression, scope);
}

/** The variables that an expression sets at its top; every value that arithmetic gives a variable is an integer. */
export function arithmeticTargets(expression: ArithmeticExpression): string[] {
  if (expression.type === 'ArithmeticBinary' && expression.operator === ',') {
    return [...arithmeticTargets(expression.left), ...arithmeticTargets(expression.right)];
  }
  if (expression.type === 'ArithmeticBinary' && ASSIGNING.test(expression.operator)) return nameOf(expression.left);
  if (expression.type === 'ArithmeticUnary' && STEPPING.test(expression.operator)) return nameOf(expression.operand);
  return [];
}

function isInteger(expression: ArithmeticExpression, { integers }: Scope): boolean {
  return nameOf(expression).some((name) => integers.has(name));
}

function nameOf(expression: ArithmeticExpression): string[] {
  return expression.type === 'ArithmeticWord' && /^[a-z][a-z0-9_]*$/.test(expression.value) ? [expression.value] : [];
}
