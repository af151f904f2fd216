/** The text of anything that was thrown, whatever a tool throws. */
export function messageOf(error: unknown): string {
  try {
    const text: unknown = error instanceof Error ? error.message || error.name : error;
    return String(text);
  } catch {
    return 'something was thrown that has no text';
  }
}
