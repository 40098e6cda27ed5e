// Generates `meta/subset.json` and `meta/examples.json` from Meta's OpenAPI file: node test/contract/generate.ts FILE.yaml
// (test/contract/README.md). None of the file's texts are kept: no descriptions, and only the shape of its examples.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { parse } from "yaml";

const ORIGIN = {
  repository: "https://github.com/facebook/openapi",
  commit: "ecba623b4aba6ae770185b074ed77ed5acef22f7",
  file: "business-messaging-api_v23.0.yaml",
  sha256: "c7148d5e2aeff32f2effc3d3557795d7eddd07abf8b017c9e40e86bb3312c116",
  license: "MIT (test/contract/README.md)",
};

/** Paths called by the product or served by the local network. */
const PATHS = [
  "/{Version}/{Phone-Number-ID}/messages",
  "/{Version}/{Phone-Number-ID}/media",
  "/{Version}/{Phone-Number-ID}/block_users",
  "/{Version}/{Phone-Number-ID}/calls",
  "/{Version}/{Phone-Number-ID}/groups",
  "/{Version}/{Phone-Number-ID}",
  "/{Version}/{Phone-Number-ID}/register",
  "/{Version}/{Phone-Number-ID}/whatsapp_business_profile",
  "/{Version}/{group_id}/invite_link",
  "/{Version}/{group_id}/join_requests",
  "/{Version}/{group_id}/participants",
  "/{Version}/{group_id}",
  "/{Version}/{Media-ID}",
  "/{Version}/{Media-URL}",
  "/{Version}/{WABA-ID}/subscribed_apps",
  "/whatsapp/webhooks",
];

/** Schemas that nothing in the file references, but that repairs or additions need. */
const UNREACHED = [
  "BaseMessageProperties_1",
  "TextMessage_2",
  "ReactionMessage_1",
  "AudioMessage_1",
  "DocumentMessage_1",
  "ImageMessage_1",
  "StickerMessage_1",
  "VideoMessage_1",
  "LocationMessage_1",
  "ContactObject_1",
  "ErrorObject_2",
  "MarkMessageRequestPayload",
  "MarkMessageResponsePayload",
];

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Node = { [name: string]: Json };
type Document = { components: { schemas: Node; responses: Node }; paths: Node };

const file = process.argv[2];
if (file === undefined) throw new Error("usage: node test/contract/generate.ts FILE.yaml");
const WORDS = new Set(["description", "title", "example", "examples", "default", "format", "externalDocs", "summary"]);
const bytes = readFileSync(file);
const digest = createHash("sha256").update(bytes).digest("hex");
if (digest !== ORIGIN.sha256) console.error(`another version of the file: ${digest}`);
const document = parse(bytes.toString("utf8"), { maxAliasCount: -1 }) as Document;

const reached = new Map<string, Json>();
const operations: Node = {};
for (const path of PATHS) {
  for (const method of ["get", "post", "delete"]) {
    const operation = node(node(document.paths[path])[method]);
    if (Object.keys(operation).length === 0) continue;
    const name = `${method.toUpperCase()} ${path.replace("/{Version}", "")}`;
    operations[name] = {
      requests: bodiesOf(operation["requestBody"]),
      answers: bodiesOf(answer(operation["responses"], (status) => status.startsWith("2"))),
      errors: bodiesOf(answer(operation["responses"], (status) => status.startsWith("4"))),
    };
  }
}
follow(operations);
for (const name of UNREACHED) follow({ $ref: `#/components/schemas/${name}` });

const CHOICES = new Set(["whatsapp", "whatsapp_business_account", ...listed(Object.fromEntries(reached))]);
const schemas = Object.fromEntries([...reached].toSorted(([a], [b]) => (a < b ? -1 : 1)));
write("subset.json", { origin: ORIGIN, operations, components: { schemas } });
write("examples.json", {
  origin: ORIGIN,
  messages: shapesOf("/{Version}/{Phone-Number-ID}/messages"),
  webhooks: shapesOf("/whatsapp/webhooks"),
});
console.log(`${PATHS.length} paths, ${reached.size} schemas`);

/** A body's schemas by media type. */
function bodiesOf(body: Json | undefined): Node {
  const content = Object.entries(node(node(body)["content"]));
  return Object.fromEntries(
    content.flatMap(([type, { schema }]: [string, any]) => (schema === undefined ? [] : [[type, stripped(schema)]])),
  );
}

function answer(responses: Json | undefined, fits: (status: string) => boolean): Json {
  const given = Object.entries(node(responses)).find(([status]) => fits(status))?.[1] ?? null;
  const reference = node(given)["$ref"];
  return typeof reference === "string" ? (document.components.responses[reference.split("/").at(-1) ?? ""] ?? null) : given;
}

/** Collects every schema referenced by this one. */
function follow(value: Json): void {
  if (Array.isArray(value)) return value.forEach(follow);
  if (typeof value !== "object" || value === null) return;
  const reference = value["$ref"];
  const name = typeof reference === "string" ? reference.split("/").at(-1) : undefined;
  if (name !== undefined && !reached.has(name)) {
    const schema = stripped(document.components.schemas[name] ?? {});
    reached.set(name, schema);
    follow(schema);
  }
  const mapping = Object.values(node(node(value["discriminator"])["mapping"]));
  for (const target of mapping) follow({ $ref: target });
  for (const part of Object.values(value)) follow(part);
}

/** Removes texts and examples, and formats, which are never checked. */
function stripped(value: Json, inProperties = false): Json {
  if (Array.isArray(value)) return value.map((item) => stripped(item));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => inProperties || (!WORDS.has(name) && !name.startsWith("x-")));
  return Object.fromEntries(kept.map(([name, part]) => [name, stripped(part, !inProperties && name === "properties")]));
}

/** A body's examples by name. Each text that is not the name of a type, a field or a choice becomes the same number of letters or ones. */
function shapesOf(path: string): Node {
  const examples = node(
    node(node(node(node(node(document.paths[path])["post"])["requestBody"])["content"])["application/json"])["examples"],
  );
  return Object.fromEntries(Object.entries(examples).map(([name, example]) => [name, shape(node(example)["value"] ?? null)]));
}

function shape(value: Json): Json {
  if (Array.isArray(value)) return value.map(shape);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shape(part)]));
  if (typeof value === "number") return 0;
  if (typeof value !== "string" || CHOICES.has(value)) return value;
  return (/^\d+$/.test(value) ? "1" : "x").repeat(value.length);
}

/** All values listed by any schema. */
function listed(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(listed);
  if (typeof value !== "object" || value === null) return [];
  const own = Array.isArray(value["enum"]) ? value["enum"].filter((choice) => typeof choice === "string") : [];
  return [...own, ...Object.values(value).flatMap(listed)];
}

function node(value: Json | undefined): Node {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function write(name: string, value: Json): void {
  writeFileSync(new URL(`meta/${name}`, import.meta.url), `${JSON.stringify(value, null, 1)}\n`);
}
