// The file in which a text is kept whole when a result shows only a part of it.
import { headOf, messageOf, type OutputFiles } from '../../contract/index.ts';

/** Characters of the reason why a text could not be kept. */
const MAX_REASON_CHARS = 300;

export interface WholeOutput {
  readonly outputs: OutputFiles;
  /** The call's own file; nothing is there yet. */
  readonly outputFile: string;
}

/** Keeps a text and gives the note that says where. Never throws: what cannot be kept is said. @param shownChars of its head */
export async function keepWhole({ outputs, outputFile }: WholeOutput, text: string, shownChars?: number): Promise<string> {
  try {
    const totalBytes = await outputs.write(outputFile, text);
    return noteOn({ totalBytes, path: outputFile, ...(shownChars !== undefined && { shownChars }) });
  } catch (error) {
    return `\n\n[The rest was cut and could not be kept: ${headOf(messageOf(error), MAX_REASON_CHARS)}]`;
  }
}

/**
 * The note that stands after a result that was cut.
 * @param cut `shownChars` when the result is the head of the whole; absent when it may be other parts as well
 */
export function noteOn(cut: { readonly shownChars?: number; readonly totalBytes: number; readonly path: string }): string {
  const shown = cut.shownChars === undefined ? 'Not all of it is shown.' : `Only the first ${cut.shownChars} characters are shown.`;
  return (
    `\n\n[${shown} The whole output, ${cut.totalBytes} bytes, is in ${cut.path}. ` +
    'Read may open that file, with an offset and a limit, to see the rest.]'
  );
}
