/** A value of JSON with each text in it changed, names of properties too. @throws RangeError for one that is nested too deeply */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [change(key), mapTexts(each, change)]));
}
