// What a log line never shows: keys and tickets, wherever in it they stand.
import type { LoggerOptions } from 'pino';

/** The forms in which they travel, each with what tells it from other text. */
const SECRET = /(\bBearer +|\btoolexec\.key\.|\btkt_|[?&]ticket=)[^\s"'&,\\]+/gi;

/** Options of the logger. Lines are looked through as a whole, since an error's text may hold anything. */
export const logRedaction = {
  hooks: { streamWrite: (line) => line.replace(SECRET, '$1[redacted]') },
  redact: ['headers.authorization', '*.headers.authorization', 'headers.cookie', '*.headers.cookie'],
} satisfies LoggerOptions;
