// Requirements of model APIs for the schema of a tool's parameters. They are stricter than those of any
// single API: a tool must not use anything that one of them rejects or ignores.
import { record } from './record.ts';

const KEYWORDS = new Set([
  ...['type', 'title', 'description', 'enum', 'const', 'default', 'format', 'properties', 'required'],
  ...['additionalProperties', 'items', 'minItems', 'maxItems', 'minimum', 'maximum', 'minLength', 'maxLength'],
  ...['anyOf', 'oneOf', '$ref', '$defs', '$schema'],
]);

/** Returns the problems in the schema of an object of parameters. */
export function problemsOf(schema: unknown): string[] {
  const root = record(schema);
  if (root?.['type'] !== 'object') {
    return ['the parameters are not an object'];
  }
  const unsupported = ['anyOf', 'oneOf', 'enum', '$ref'].filter((each) => each in root);
  return [...unsupported.map((each) => `${each} at the top`), ...walk(root, root, '')];
}

function walk(schema: Record<string, unknown>, root: Record<string, unknown>, at: string): string[] {
  const problems = Object.keys(schema)
    .filter((keyword) => !KEYWORDS.has(keyword))
    .map((keyword) => `${at}: keyword ${keyword}`);
  const type = schema['type'];
  const union = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(type)) {
    problems.push(`${at}: a list of types`);
  } else if (type === undefined && union === undefined && !('$ref' in schema)) {
    problems.push(`${at}: no type`);
  }
  if (type === 'array' && record(schema['items']) === undefined) {
    problems.push(`${at}: an array without items`);
  }
  const properties = record(schema['properties']) ?? {};
  const required = (schema['required'] ?? []) as string[];
  problems.push(...required.filter((name) => !(name in properties)).map((name) => `${at}: ${name} is required only`));
  if ('$ref' in schema && target(schema['$ref'], root) === undefined) {
    problems.push(`${at}: a reference that leads nowhere`);
  }
  for (const [name, each] of inner(schema, root)) {
    const child = record(each);
    problems.push(...(child === undefined ? [`${at}.${name}: no schema`] : walk(child, root, `${at}.${name}`)));
  }
  return problems;
}

function inner(schema: Record<string, unknown>, root: Record<string, unknown>): [string, unknown][] {
  return [
    ...Object.entries(record(schema['properties']) ?? {}),
    ...('items' in schema ? [['items', schema['items']] as [string, unknown]] : []),
    ...((schema['anyOf'] ?? schema['oneOf'] ?? []) as unknown[]).map((each): [string, unknown] => ['anyOf', each]),
    // Definitions are checked once, from the top, so that one may refer to itself.
    ...(schema === root ? Object.entries(record(schema['$defs']) ?? {}) : []),
  ];
}

function target(reference: unknown, root: Record<string, unknown>): unknown {
  const name = /^#\/\$defs\/(\w+)$/.exec(String(reference))?.[1];
  return name === undefined ? undefined : record(root['$defs'])?.[name];
}
