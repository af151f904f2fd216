/** The folder that a tool lives in: `NotebookEdit` → `notebook-edit`, `LSP` → `lsp`. */
export function folderName(tool: string): string {
  return tool
    .replaceAll(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3-$2')
    .replaceAll('_', '-')
    .toLowerCase();
}
