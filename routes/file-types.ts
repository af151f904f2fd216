// What a browser is told of a file, by the ending of its name alone. What may run in a page, or is not known, is only
// ever saved: it must not run under the address of the service.
import { extname } from 'node:path';

/** Shown by a browser and never run. */
const SHOWN: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  bmp: 'image/bmp',
  gif: 'image/gif',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  webm: 'video/webm',
  pdf: 'application/pdf',
  json: 'application/json',
};

const PLAIN_TEXT = 'text/plain; charset=utf-8';
const TEXTS =
  'c cc cfg conf cpp cs csv diff env go h hpp ini ipynb java jsonl kt lock log lua md patch php pl ps1 py r rb rs rst scala sh sql swift tex toml ts tsv tsx txt vue yaml yml';

const SAVED: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  gz: 'application/gzip',
  htm: 'text/html; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  jsx: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  wasm: 'application/wasm',
  xhtml: 'application/xhtml+xml',
  xml: 'application/xml',
  zip: 'application/zip',
};

const TYPES = new Map<string, FileType>([
  ...Object.entries(SHOWN).map(([ending, type]) => [ending, { type, save: false }] as const),
  ...TEXTS.split(' ').map((ending) => [ending, { type: PLAIN_TEXT, save: false }] as const),
  ...Object.entries(SAVED).map(([ending, type]) => [ending, { type, save: true }] as const),
]);

export interface FileType {
  /** For `Content-Type`. */
  readonly type: string;
  /** Whether a browser shall save it instead of showing it. */
  readonly save: boolean;
}

export function typeOfFile(name: string): FileType {
  return TYPES.get(extname(name).slice(1).toLowerCase()) ?? { type: 'application/octet-stream', save: true };
}
