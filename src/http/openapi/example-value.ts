// Example value of a schema, chosen by field name first and then by type. A test validates each one.
import { resolved, type Schema } from "./shape.ts";

const BY_NAME: Readonly<Record<string, unknown>> = {
  id: 1,
  chat_id: "5511900000002@c.us",
  contact_id: "5511900000002@c.us",
  group_id: "120363041234567890@g.us",
  channel_id: "120363041234567891@newsletter",
  label_id: "1",
  call_id: "A1B2C3D4E5F60718293A4B5C6D7E8F90",
  message_id: "3EB0C431C26A1916E07A",
  server_id: "100",
  name: "Ana",
  push_name: "Ana",
  profile_name: "Loja",
  full_name: "Ana Souza",
  subject: "Equipe",
  question: "Qual dia?",
  phone: "5511900000002",
  phone_number: "5511900000001",
  from: "5511900000002",
  to: "5511900000002",
  owner: "5511900000001",
  text: "Olá!",
  timestamp: 1_795_176_000,
  status_reason: "connected",
  mimetype: "image/jpeg",
  type: "text",
  link: "https://chat.example.com/AbCdEfGhIjKlMnOpQrStUv",
  code: "AbCdEfGhIjKlMnOpQrStUv",
  color_hex: "#FF9485",
  url: "https://app.example.com/api/midia/Zr8mJ0yQ3vXh2LkT5wNb7c.jpg",
  qr: "data:image/png;base64,iVBORw0KGgo…",
  raw: "2@nJqp3…",
};

const EXAMPLE_TIME = "2026-11-20T12:00:00.000Z";

/** `own` contains the API's own values, which take precedence over all others. `text` is the default for strings. */
type Sources = { schemas: Readonly<Record<string, Schema>>; own: Readonly<Record<string, unknown>>; text: string };

export function sampleOf(given: Schema, sources: Sources, name = ""): unknown {
  const { schemas, own } = sources;
  const schema = resolved(given, schemas);
  if (schema.example !== undefined) return schema.example;
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.allOf !== undefined) return Object.assign({}, ...schema.allOf.map((part) => sampleOf(part, sources, name)));
  const [first, ...rest] = schema.anyOf ?? schema.oneOf ?? [];
  if (first !== undefined)
    return rest.some(({ type }) => type === "null") && isObjectSchema(resolved(first, schemas)) ? null : sampleOf(first, sources, name);
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
  const known = Object.hasOwn(own, name) ? own[name] : BY_NAME[name];
  if (known !== undefined && types.some((type) => fits(type, known))) return known;
  // Nullable fields are null unless there is a sample for their name.
  if (types.includes("null")) return schema.format === "date-time" ? EXAMPLE_TIME : null;
  return byType(types[0], schema, sources, name);
}

function byType(type: string | undefined, schema: Schema, sources: Sources, name: string): unknown {
  switch (type) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([field, property]) => [field, sampleOf(property, sources, field)]),
      );
    case "array":
      return schema.items === undefined ? [] : [sampleOf(schema.items, sources, singular(name))];
    case "integer":
    case "number":
      return schema.minimum ?? 0;
    case "boolean":
      return false;
    case "string":
      return schema.format === "date-time" ? EXAMPLE_TIME : sources.text;
    default:
      return null;
  }
}

function fits(type: string, value: unknown): boolean {
  return type === "integer" || type === "number" ? typeof value === "number" : typeof value === type;
}

function isObjectSchema({ type, properties }: Schema): boolean {
  return type === "object" || properties !== undefined;
}

function singular(name: string): string {
  return name.endsWith("s") ? name.slice(0, -1) : name;
}
