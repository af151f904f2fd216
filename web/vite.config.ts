// Builds the console into `web/dist`, which is kept under version control: the service serves it as it is. The same
// sources give the same bytes, and file names change with what is in them.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
  build: {
    target: 'es2023',
    emptyOutDir: true,
    // Nothing may be inlined: the page allows no data for scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
  },
});
