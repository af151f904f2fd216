// One call: the page from the cache or from the web, then what the prompt wants of it, or the page itself.
import { clipped, messageOf, textOf, type CallContext, type ResultContent, type ToolResult } from '../../src/contract/index.ts';
import { askAboutPage } from './ask-model.ts';
import { fetchAnswer, isGood, type Answer } from './fetch-answer.ts';
import type { FetchInput } from './input.ts';
import { cachedPage, cachePage, type Page } from './page-cache.ts';
import { showPage } from './show-page.ts';

/** Characters shown of the body of an answer that tells of a failure. */
const FAILURE_CHARS = 2_000;

/** Of a page that was shown. */
export interface FetchOutput {
  /** Where it came from, after redirects. */
  url: string;
  content_type: string;
  bytes: number;
  /** True when a model answered the prompt. */
  answered: boolean;
}

type Result = ToolResult<FetchOutput>;

export async function fetchPage(input: FetchInput, context: CallContext): Promise<Result> {
  try {
    const found = await pageAt(addressOf(input.url), context);
    return 'page' in found ? await present(found.page, input.prompt, context) : found.result;
  } catch (error) {
    context.signal.throwIfAborted();
    return { content: messageOf(error), isError: true };
  }
}

/** Without the fragment, which no server sees. */
function addressOf(text: string): string {
  const url = new URL(text);
  url.hash = '';
  return url.href;
}

async function pageAt(url: string, { sessionId, web, signal }: CallContext): Promise<{ page: Page } | { result: Result }> {
  const cached = cachedPage(sessionId, url);
  if (cached !== undefined) return { page: cached };
  const answer = await fetchAnswer({ web, url, signal });
  if (answer.redirectTo !== undefined) return { result: { content: redirectNote(url, answer.redirectTo) } };
  if (!isGood(answer.status)) return { result: { content: await failureNote(answer, signal), isError: true } };
  const content = await showPage(answer, signal);
  signal.throwIfAborted();
  const page = { content, url: answer.url, contentType: answer.contentType, bytes: answer.bytes.length };
  cachePage(sessionId, url, page);
  return { page };
}

function redirectNote(from: string, to: string): string {
  return `${from} redirects to another host, which was not asked:\n${to}\nTo see what is there, call this tool again with that URL.`;
}

async function failureNote(answer: Answer, signal: AbortSignal): Promise<string> {
  const { status, url } = answer;
  // At the start it would load all that it offers, the client of `fetch` with it.
  const { STATUS_CODES } = await import('node:http');
  const line = `${url} answered ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd();
  if (answer.bytes.length === 0) return `${line}.`;
  // What comes with a failure explains it at best: the failure is told in any case.
  const body = await showPage(answer, signal).then(textOf, () => '');
  return body === '' ? `${line}.` : `${line}:\n\n${clipped(body, FAILURE_CHARS)}`;
}

async function present(page: Page, prompt: string | undefined, context: CallContext): Promise<Result> {
  const output = { url: page.url, content_type: page.contentType, bytes: page.bytes, answered: false };
  if (prompt === undefined) return { content: page.content, output };
  const text = textOf(page.content);
  const unanswered = (why: string): Result => ({ content: withNote(page.content, `[${why} This is the page itself.]`), output });
  if (!context.model.available) return unanswered('There is no model here that could answer the prompt.');
  if (typeof page.content !== 'string') return unanswered('The prompt was not answered, since only text can be asked about.');
  try {
    const answer = await askAboutPage({ model: context.model, url: page.url, text, prompt, signal: context.signal });
    return { content: answer, output: { ...output, answered: true } };
  } catch (error) {
    context.signal.throwIfAborted();
    return unanswered(`The prompt was not answered: ${messageOf(error)}`);
  }
}

/** In front, where no cut of a long page can take it. */
function withNote(content: ResultContent, note: string): ResultContent {
  return typeof content === 'string' ? `${note}\n\n${content}` : [{ type: 'text', text: note }, ...content];
}
