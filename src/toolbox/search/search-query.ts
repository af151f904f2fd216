/** What a search for tools asks for. */
export type SearchQuery =
  | { readonly kind: 'empty' }
  | { readonly kind: 'select'; readonly names: readonly string[] }
  | {
      readonly kind: 'keywords';
      /** As it was written, without blanks around it. */
      readonly text: string;
      readonly words: readonly string[];
      /** Each must occur in what is found. */
      readonly required: readonly string[];
    };

/** Characters of a query that are read. */
const MAX_QUERY_CHARS = 2_000;
const SELECT = /^select\s*:/i;

/** `select:A,B`, or keywords of which `+word` must occur. */
export function parseSearchQuery(query: string): SearchQuery {
  const text = query.slice(0, MAX_QUERY_CHARS).trim();
  if (SELECT.test(text)) {
    const names = new Set(text.replace(SELECT, '').split(/[\s,]+/));
    names.delete('');
    return names.size === 0 ? { kind: 'empty' } : { kind: 'select', names: [...names] };
  }
  const parts = text.split(/\s+/).filter((part) => /[\p{L}\p{N}]/u.test(part));
  if (parts.length === 0) return { kind: 'empty' };
  const isRequired = (part: string): boolean => part.startsWith('+');
  return { kind: 'keywords', text, words: parts.filter((part) => !isRequired(part)), required: parts.filter(isRequired) };
}
