/** One name for a call of a session, whatever is in its id. */
export function callKey(turnId: string, toolUseId: string): string {
  return JSON.stringify([turnId, toolUseId]);
}
