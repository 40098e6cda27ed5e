// `fastParse` agrees with zod on every frame and input, and on each of them with one part changed.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { fastParse } from "@gateway/protocol/fast-parse.ts";
import { NO_EXTRAS } from "@gateway/protocol/message.ts";
import { OPERATIONS } from "@gateway/protocol/operations.ts";
import { FromBridge, ToBridge } from "@gateway/protocol/session-socket.ts";
import { SendRequest } from "@gateway/protocol/content.ts";

const message = {
  message_id: "3EB0A1",
  chat_id: "5511910000002@c.us",
  from_me: true,
  sender: { phone: "5511910000002", lid: null },
  push_name: null,
  timestamp: 1_790_000_000,
  type: "text",
  text: "hello",
  media: null,
  ...NO_EXTRAS,
  raw: "AAAA",
};
const media = { token: null, mimetype: "a/b", filename: null, size: 3, sha256: null, duration_seconds: 1.5, width: 1, height: null };
const request = {
  message_id: "3EB0A1",
  chat_id: "5511910000002@c.us",
  content: { kind: "text", text: "hello", preview: null },
  quoted: null,
  mentions: [{ phone: null, lid: "12345" }],
  mention_all: false,
  typing_ms: 0,
  status: null,
};
const settled = { type: "send.settled", message_id: "3EB0A1", outcome: { kind: "acknowledged", timestamp: 1, to_resolved: null, message } };
const status = { type: "message.status", chat_id: "5511910000002@c.us", message_id: "A", status: "read", participant: null, timestamp: 1 };

const FRAMES: readonly (readonly [name: string, schema: z.ZodType, value: unknown])[] = [
  ["hello", FromBridge, { type: "hello", generation: 1, bridge_id: "b", has_state: false }],
  [
    "a commit",
    FromBridge,
    {
      type: "commit",
      seq: 3,
      rows: [
        ["session|1", "AAAA"],
        ["sent|3EB0A1", null],
      ],
      events: [
        { key: null, event: settled },
        { key: "k", event: { type: "message.upsert", origin: "live", message: { ...message, media, background: 4 } }, trace: "t" },
        { key: "s", event: status },
      ],
    },
  ],
  ["a result", FromBridge, { type: "result", id: 1, ok: true, value: "{}" }],
  ["stored", ToBridge, { type: "stored", seq: 3 }],
  ["a command", ToBridge, { type: "command", id: 0, name: "send", input: "{}", deadline_ms: 1, trace: "t" }],
  ["rows", ToBridge, { type: "rows", id: 2, rows: [["sent|A", "AAAA"]] }],
  ["a send", SendRequest, request],
  [
    "a send's input",
    OPERATIONS["messages.send"].input,
    {
      to: "5511910000002",
      chat_id: null,
      content: request.content,
      quoted_message_id: null,
      mentions: [],
      mention_all: false,
      source: "api",
      reference: null,
      message_id: null,
      typing_ms: 0,
    },
  ],
];

/** Variants of the value: each part at every depth replaced, or an unknown part added. */
function* changed(value: unknown): Generator {
  yield* [null, undefined, "", -1, 1.5, 1e300, true, [], {}];
  if (Array.isArray(value)) {
    yield [...value, value[0]];
    for (const [at, part] of value.entries()) for (const other of changed(part)) yield value.with(at, other);
  } else if (typeof value === "object" && value !== null) {
    yield { ...value, unknown: 1 };
    for (const [name, part] of Object.entries(value)) {
      const { [name]: _absent, ...rest } = value as Record<string, unknown>;
      yield rest;
      for (const other of changed(part)) yield { ...value, [name]: other };
    }
  }
}

describe.each(FRAMES)("%s", (_name, schema, value) => {
  it("is returned itself, not as a copy", () => expect(fastParse(schema, value).data).toBe(value));

  it("is judged as by zod after any part was changed", () => {
    for (const other of changed(value)) {
      const [ours, zods] = [fastParse(schema, other), schema.safeParse(other)];
      expect(ours, JSON.stringify(other)).toEqual(zods);
    }
  });
});

it.each<[name: string, schema: z.ZodType, value: unknown]>([
  ["a refinement", z.string().refine((text) => text !== "no"), "no"],
  ["a transformation", z.string().transform((text) => text.length), "abc"],
  ["a coercion", z.coerce.number(), "1"],
  ["trimming", z.string().trim(), " a "],
  ["an email address", z.email(), "nobody"],
  ["a step", z.number().multipleOf(2), 3],
  ["a date", z.date(), "today"],
  ["a default", z.object({ a: z.string().default("b") }), {}],
  [
    "a plain union, whose first option drops a field",
    z.union([z.object({ a: z.string() }), z.object({ a: z.string(), b: z.string() })]),
    { a: "", b: "" },
  ],
  ["a strict object", z.strictObject({ a: z.string() }), { a: "", b: "" }],
  ["a loose object", z.looseObject({ a: z.string() }), { a: "", b: "" }],
  ["a name that objects inherit", z.object({ a: z.string() }), JSON.parse('{"a":"","__proto__":{"b":1}}')],
])("%s is left to zod", (_name, schema, value) => {
  const { success, data, error } = schema.safeParse(value);
  expect(fastParse(schema, value)).toEqual(success ? { success, data } : { success, error });
});
