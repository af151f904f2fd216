import { program, type Programs } from './program.ts';

export const DATE_PROGRAMS: Programs = {
  // A first operand without `+` would set the clock.
  date: program(
    '-d: -f: -I? -r: -R -u --date: --debug --file: --iso-8601? --reference: --resolution --rfc-email --rfc-3339: --utc --universal',
    {
      takesNext: true,
      accepts: ({ operands }) =>
        operands.every((operand) => {
          if (operand.kind === 'literal') return operand.text.startsWith('+');
          return operand.kind === 'value' && operand.prefix.startsWith('+');
        }),
    },
  ),
};
