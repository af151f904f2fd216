/** Hands bytes to the browser as a download. */
export function saveFile(bytes: Blob, name: string): void {
  const url = URL.createObjectURL(bytes);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken hold of the bytes by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
