// Meta's schemas as published, repaired and closed, with its guides' additions: all other fields are rejected.
import { withAdditions } from "./additions.ts";
import subset from "./meta/subset.json" with { type: "json" };
import { repair, type Schema, type Schemas } from "./repairs.ts";

/** Fields named in the file and the guides. */
export type Fields = Readonly<Record<string, unknown>>;

const ANYTHING = { type: "array", items: { type: "object", unevaluatedProperties: true } };
const METADATA = { $ref: "#/components/schemas/Metadata" };
const PROFILES = { type: "array", items: { $ref: "#/components/schemas/ContactProfile" } };

/** A webhook's outer parts; its items are checked against the schema of their own type. */
const OUTER: Schemas = {
  WebhookOuter: {
    type: "object",
    required: ["object", "entry"],
    properties: {
      object: { enum: ["whatsapp_business_account"] },
      entry: {
        type: "array",
        items: {
          type: "object",
          required: ["id", "changes"],
          properties: {
            id: { type: "string" },
            time: { type: ["string", "number"] },
            changes: {
              type: "array",
              items: {
                type: "object",
                required: ["field", "value"],
                properties: { field: { type: "string" }, value: { type: "object", unevaluatedProperties: true } },
              },
            },
          },
        },
      },
    },
  },
  MessageValue: {
    type: "object",
    required: ["messaging_product", "metadata", "messages"],
    properties: { messaging_product: { enum: ["whatsapp"] }, metadata: METADATA, contacts: PROFILES, messages: ANYTHING },
  },
};

export const PUBLISHED = subset.components.schemas as Schemas;
export const REPAIRED = repair(PUBLISHED);
export const CLOSED = closed(withAdditions(REPAIRED));

/** Closes every complete object, but neither halves of an allOf nor choices within an object. */
function closed(given: Schemas): Schemas {
  const schemas: Schemas = { ...structuredClone(given), ...operationSchemas(), ...OUTER };
  const halves = new Set<string>();
  for (const schema of Object.values(schemas)) collectHalves(schema, halves);
  for (const [name, schema] of Object.entries(schemas)) if (!halves.has(name)) close(schema, false);
  for (const name of halves) for (const part of Object.values((schemas[name]?.["properties"] ?? {}) as Schemas)) close(part, false);
  return schemas;
}

/** Body schemas defined inline in operations. */
function operationSchemas(): Schemas {
  const operations = structuredClone(subset.operations) as Record<string, Record<"requests" | "answers", Schemas>>;
  const json = (name: string, part: "requests" | "answers", type = "application/json"): Schema => operations[name]?.[part][type] ?? {};
  const upload = json("POST /{Phone-Number-ID}/media", "requests", "multipart/form-data");
  // A form's file is not text; its type is a separate field (guide: Media).
  upload["properties"] = { ...upload["properties"], file: { type: "object" }, type: { type: "string" } };
  upload["properties"].file.unevaluatedProperties = true;
  return {
    UploadForm: upload,
    UploadAnswer: json("POST /{Phone-Number-ID}/media", "answers"),
    BlockForm: json("POST /{Phone-Number-ID}/block_users", "requests"),
    GroupList: json("GET /{Phone-Number-ID}/groups", "answers"),
    GroupForm: json("POST /{Phone-Number-ID}/groups", "requests"),
    GroupRequest: json("POST /{Phone-Number-ID}/groups", "answers"),
    GroupChange: json("POST /{group_id}", "requests"),
    OnlyProduct: json("POST /{group_id}/invite_link", "requests"),
    JoinRequests: json("GET /{group_id}/join_requests", "answers"),
    JoinDecision: json("POST /{group_id}/join_requests", "requests"),
    JoinDecided: { anyOf: [json("POST /{group_id}/join_requests", "answers"), json("DELETE /{group_id}/join_requests", "answers")] },
    ParticipantForm: json("DELETE /{group_id}/participants", "requests"),
  };
}

function collectHalves(schema: unknown, halves: Set<string>): void {
  if (Array.isArray(schema)) return schema.forEach((item) => collectHalves(item, halves));
  if (!isFields(schema)) return;
  for (const half of Array.isArray(schema["allOf"]) ? schema["allOf"] : []) {
    const reference = isFields(half) ? half["$ref"] : undefined;
    if (typeof reference === "string") halves.add(reference.split("/").at(-1) ?? "");
  }
  for (const part of Object.values(schema)) collectHalves(part, halves);
}

function close(schema: Schema, isHalf: boolean): void {
  if (typeof schema !== "object" || schema === null) return;
  const isObject = schema["properties"] !== undefined || schema["allOf"] !== undefined;
  const isOpen = schema["additionalProperties"] === undefined && schema["unevaluatedProperties"] === undefined;
  if (isObject && isOpen && !isHalf && (schema["type"] === "object" || schema["allOf"] !== undefined))
    schema["unevaluatedProperties"] = false;
  for (const half of (schema["allOf"] ?? []) as Schema[]) close(half, true);
  const within = isObject || isHalf || schema["type"] === "object";
  for (const name of ["oneOf", "anyOf"]) for (const choice of (schema[name] ?? []) as Schema[]) close(choice, within);
  for (const part of Object.values((schema["properties"] ?? {}) as Schemas)) close(part, false);
  if (schema["items"] !== undefined) close(schema["items"], false);
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
