// Fields that a person fills in, as n8n shows them.
import type { Schema } from "../document.ts";
import { TEXTS } from "./operations.ts";

export type Property = Record<string, unknown>;
const LINES = '={{ Array.isArray($value) ? $value : $value.split("\\n").map((line) => line.trim()).filter((line) => line !== "") }}';
/** n8n's `DateTime` reads a time without an offset, as its date picker writes it, in the workflow's time zone. */
const TIME_VALUE = '={{ new Date(DateTime.fromISO(String($value).replace(" ", "T")).toMillis() || $value).toISOString() }}';
export const JSON_VALUE = '={{ typeof $value === "string" ? JSON.parse($value) : $value }}';

/** A file given by its URL, or by a binary field of the item. */
export function fileFields(): Property[] {
  const source = {
    displayName: "File From",
    name: "fileFrom",
    type: "options",
    options: [
      { name: "Binary Field", value: "binary" },
      { name: "URL", value: "url" },
    ],
    default: "url",
    required: true,
    description: "Where the file comes from",
  };
  const part = (displayName: string, from: string, value: string, description: string): Property => ({
    displayName,
    name: `file_${from}`,
    type: "string",
    default: value,
    required: true,
    description,
    displayOptions: { show: { fileFrom: [from] } },
    routing: { send: { type: "body", property: `media.${from}` } },
  });
  return [
    source,
    part("File URL", "url", "", "A public https address"),
    part("Input Binary Field", "binary", "data", "The name of the field of the item that contains the file"),
    {
      displayName: "File Name",
      name: "filename",
      type: "string",
      default: "",
      description: "The name that the recipient sees",
      routing: { send: { type: "body", property: "media.filename" } },
    },
  ];
}

export function deliveryFields(): Property[] {
  const part = (displayName: string, name: string, description: string): Property => ({
    displayName,
    name: `delivery_${name}`,
    type: "dateTime",
    default: "",
    description,
    routing: { send: { type: "body", property: `delivery.${name}`, value: TIME_VALUE } },
  });
  return [
    part("Send At", "at", "When the message leaves. The output is then the waiting message."),
    part("Send Until", "until", "The message never leaves after this time"),
  ];
}

export function field(name: string, schema: Schema, required: boolean, send: Property): Property {
  const { type, value, more } = inputOf(schema);
  return {
    displayName: titled(name),
    name,
    type,
    ...more,
    default: defaultOf(type, schema),
    ...(required ? { required } : {}),
    ...described(sentence(TEXTS[name] ?? schema.description ?? "") + (value === LINES ? ". One per line." : ""), name),
    routing: { send: { ...send, ...(value === undefined ? {} : { value }) } },
  };
}

/** n8n's rules reject a description that repeats the name. */
function described(text: string, name: string): Property {
  return text === "" || text.toLowerCase().replace(/^the /, "") === titled(name).toLowerCase() ? {} : { description: text };
}

type Input = { type: string; value?: string; more?: Property };

function inputOf(schema: Schema): Input {
  const type = [schema.type ?? "object"].flat().find((each) => each !== "null");
  if (schema.enum !== undefined)
    return {
      type: "options",
      more: {
        options: sorted(
          schema.enum.map((value) => ({ name: titled(String(value)), value })),
          "name",
        ),
      },
    };
  if (type === "array" && schema.items?.type === "string") return { type: "string", value: LINES, more: { typeOptions: { rows: 3 } } };
  if (type === "array" || type === "object") return { type: "json", value: JSON_VALUE };
  if (type === "integer" || type === "number") return { type: "number" };
  if (type === "boolean") return { type: "boolean" };
  return {
    type: "string",
    ...(Number((schema as { maxLength?: number }).maxLength) > 1_000 ? { more: { typeOptions: { rows: 4 } } } : {}),
  };
}

function defaultOf(type: string, schema: Schema): unknown {
  if (type === "options") return sorted(schema.enum?.map((value) => ({ name: titled(String(value)), value })) ?? [], "name")[0]?.value;
  if (type === "boolean") return false;
  if (type === "number") return 0;
  return type === "json" ? "[]" : "";
}

const SMALL_WORDS = new Set(["at", "of", "the", "to", "from", "in", "a"]);

/** Turns `quoted_message_id` into "Quoted Message ID". */
export function titled(name: string): string {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[_ ]/);
  return words
    .map((word, at) => {
      if (word === "id" || word === "url" || word === "ms" || word === "qr") return word.toUpperCase();
      return at > 0 && SMALL_WORDS.has(word) ? word : word.charAt(0).toUpperCase() + word.slice(1);
    })
    .join(" ");
}

/** Omits the last period, as n8n's rules require. */
export function sentence(text: string): string {
  const safe = text
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(/\b[Ii]d(s?)\b/g, "ID$1");
  const whole = safe.charAt(0).toUpperCase() + safe.slice(1);
  return /\. /.test(whole) ? whole : whole.replace(/\.$/, "");
}

export function sorted<T extends Property>(rows: readonly T[], by: string): T[] {
  return [...rows].sort((a, b) => (String(a[by]) < String(b[by]) ? -1 : 1));
}
