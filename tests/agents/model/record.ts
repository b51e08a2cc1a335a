export type Fields = Record<string, unknown>;

/** The value as an object with fields, if it is one. */
export function record(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** The members of a list that are objects; of anything else none. */
export function records(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(record).filter((each) => each !== undefined) : [];
}

/** A field that is text; the empty text for anything else. */
export function text(fields: Fields | undefined, name: string): string {
  const value = fields?.[name];
  return typeof value === 'string' ? value : '';
}
