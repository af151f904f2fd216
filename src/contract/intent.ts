/** What a call says of itself before it has any effect, such as the digest that its target is to have. At most 16,000 characters of JSON. */
export type Intent = Readonly<Record<string, string | number | null>>;
