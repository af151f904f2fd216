/** Why a search found nothing, in words that a model may read: they tell neither the engine's address nor its key. */
export class WebSearchError extends Error {
  override readonly name = 'WebSearchError';
}
