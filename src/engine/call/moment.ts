/** Something that happens once. A promise of it is made only for who asks: most moments of a call nobody waits for. */
export class Moment<Value> {
  #asked: PromiseWithResolvers<Value> | undefined;
  #come: { readonly value: Value } | undefined;

  /** `undefined` until it has come. */
  get value(): Value | undefined {
    return this.#come?.value;
  }

  get promise(): Promise<Value> {
    this.#asked ??= Promise.withResolvers<Value>();
    if (this.#come !== undefined) this.#asked.resolve(this.#come.value);
    return this.#asked.promise;
  }

  /** It has come. Only the first time counts. */
  come(value: Value): void {
    this.#come ??= { value };
    this.#asked?.resolve(this.#come.value);
  }
}
