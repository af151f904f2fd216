// The file in which a text is kept whole when a result shows only a part of it.
import { messageOf, type OutputFiles } from '../contract/index.ts';
import { describeCut, headOf } from './bound-output.ts';

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

/** The same note on a file that is there already. */
export function noteOn(cut: Parameters<typeof describeCut>[0]): string {
  return `\n\n${describeCut(cut)}`;
}
