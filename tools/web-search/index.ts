import { buildTool, descriptionOf, ONLY_READS } from '../../src/contract/index.ts';
import { searchInput } from './input.ts';
import { searchWeb, type SearchOutput } from './search-web.ts';

export default buildTool<typeof searchInput, SearchOutput>({
  name: 'WebSearch',
  searchHint: 'search the web internet for pages',
  inputSchema: searchInput,
  description: descriptionOf(import.meta.url),
  userFacingName: (input) => (input ? `Search ${input.query}` : 'WebSearch'),
  ...ONLY_READS,
  footprint: () => ({}),
  timeoutMs: 60_000,
  validateInput: ({ allowed_domains: allowed = [], blocked_domains: blocked = [] }) =>
    allowed.length > 0 && blocked.length > 0 ? { ok: false, message: 'Give allowed_domains or blocked_domains, not both.' } : { ok: true },
  // The words go out to the engine, and rules may name them: WebSearch(release notes *).
  permissionSubjects: ({ query }) => [{ kind: 'other', text: query }],
  toAutoClassifierInput: ({ query }) => query,
  call: searchWeb,
  renderUse: (input) => ({ title: titleOf(input.query), ...subtitleOf(input) }),
  renderResult: ({ query }, { content, output }) => ({
    title: titleOf(query),
    subtitle: output === undefined ? 'failed' : `${output.results.length} results`,
    body:
      output === undefined
        ? { kind: 'text', text: typeof content === 'string' ? content : '' }
        : { kind: 'table', columns: ['Title', 'URL'], rows: output.results.map(({ title, url }) => [title, url]) },
    collapsed: true,
  }),
  renderGroup: (inputs) => ({
    title: 'Search',
    subtitle: `${inputs.length} queries`,
    body: { kind: 'list', items: inputs.map(({ query }) => query) },
    collapsed: true,
  }),
});

function titleOf(query: string): string {
  return `Search ${query}`;
}

function subtitleOf({ allowed_domains: allowed = [], blocked_domains: blocked = [] }: Parameters<typeof searchWeb>[0]): {
  subtitle?: string;
} {
  if (allowed.length > 0) return { subtitle: `on ${allowed.join(', ')}` };
  return blocked.length > 0 ? { subtitle: `not on ${blocked.join(', ')}` } : {};
}
