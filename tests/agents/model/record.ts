export type Fields = Record<string, unknown>;

/** Returns the value if it is an object with fields. */
export function record(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** Returns the members of a list that are objects, or an empty list for any other value. */
export function records(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(record).filter((each) => each !== undefined) : [];
}

/** Returns a field that is text, or the empty text for any other value. */
export function text(fields: Fields | undefined, name: string): string {
  const value = fields?.[name];
  return typeof value === 'string' ? value : '';
}
