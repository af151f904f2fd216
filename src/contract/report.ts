/** Tells whoever runs the service of what goes wrong where nobody waits for an answer. */
export type Report = (what: string, error?: unknown) => void;
