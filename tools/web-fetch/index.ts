import { buildTool, descriptionOf, ONLY_READS } from '../../src/contract/index.ts';
import { fetchPage, type FetchOutput } from './fetch-page.ts';
import { fetchInput, urlFault } from './input.ts';
import { titleOf, viewGroup, viewResult, viewUse } from './views.ts';

export default buildTool<typeof fetchInput, FetchOutput>({
  name: 'WebFetch',
  searchHint: 'fetch read open a web page or URL',
  inputSchema: fetchInput,
  description: descriptionOf(import.meta.url),
  userFacingName: (input) => (input ? titleOf(input.url) : 'WebFetch'),
  // It changes nothing. That it reaches out is what its subject says, and what rules and modes judge it by.
  ...ONLY_READS,
  footprint: () => ({}),
  // Above all the limits that the tool keeps itself, and the wait for a thread.
  timeoutMs: 300_000,
  validateInput({ url }) {
    const fault = urlFault(url);
    return fault === null ? { ok: true } : { ok: false, message: fault };
  },
  permissionSubjects: ({ url }) => [{ kind: 'url', url }],
  toAutoClassifierInput: ({ url }) => url,
  call: fetchPage,
  renderUse: viewUse,
  renderResult: viewResult,
  renderGroup: viewGroup,
});
