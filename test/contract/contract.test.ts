// Checks the product's output and input against Meta's OpenAPI file, as repaired (test/contract/README.md).
import { describe, expect, it } from "vitest";
import { readChange } from "@gateway/domain/cloud/changes.ts";
import { bodyOf, type CloudRecipient } from "@gateway/domain/cloud/request.ts";
import { CONTENTS } from "../domain/cloud/contents.ts";
import { ANA, BSUID, idsInMemory, sendOf } from "../domain/cloud/worlds.ts";
import examples from "./meta/examples.json" with { type: "json" };
import subset from "./meta/subset.json" with { type: "json" };
import { answerProblems, asPublished, asRepaired, judgeBy, requestProblems, webhookProblems } from "./judge.ts";
import { repair, REPAIRS } from "./repairs.ts";
import { CLOSED, PUBLISHED } from "./schemas.ts";
import { WEBHOOKS, webhookOf } from "./webhooks.ts";

const MESSAGES = Object.entries(examples.messages);
const EXAMPLE_WEBHOOKS = Object.entries(examples.webhooks as Record<string, ReturnType<typeof webhookOf>>);
const NOW = Date.parse("2026-01-15T12:00:00Z");

const misfits = (judge: typeof asRepaired, schema: string, given: readonly [string, unknown][]) =>
  given.filter(([, value]) => judge(schema, value).length > 0).map(([name]) => name);
const sent = (body: unknown) =>
  requestProblems({ method: "POST", path: "/v23.0/106540352242922/messages", query: {}, status: 200, body, answer: null });
const answered = (method: string, path: string, answer: unknown, status = 200) =>
  answerProblems({ method, path: `/v23.0/${path}`, query: {}, status, body: null, answer });

describe("Meta's description file", () => {
  it("is the version that the tests were written for", () => {
    expect(subset.origin.sha256).toBe("c7148d5e2aeff32f2effc3d3557795d7eddd07abf8b017c9e40e86bb3312c116");
    expect(Object.keys(subset.operations)).toHaveLength(30);
    expect(Object.keys(subset.components.schemas)).toHaveLength(134);
    expect([MESSAGES.length, EXAMPLE_WEBHOOKS.length]).toEqual([50, 16]);
  });

  it("references nothing that was left out of it", () => {
    const targets = [...JSON.stringify(CLOSED).matchAll(/schemas\/(\w+)"/g)].map(([, name = ""]) => name);
    expect(targets.filter((name) => CLOSED[name] === undefined)).toEqual([]);
  });

  it("fits none of its own examples as published", () => {
    expect(misfits(asPublished, "Message", MESSAGES)).toHaveLength(50);
    expect(misfits(asPublished, "WebhookPayload", EXAMPLE_WEBHOOKS)).toHaveLength(16);
  });

  it("fits its examples after the repairs, except for the listed ones", () => {
    expect(misfits(asRepaired, "Message", MESSAGES)).toEqual([
      "Send Multi-Product Message",
      "Send Order Details Message",
      "Send Order Status Message",
      "Send Reply to List Message",
      "Send Text Message with Preview URL",
      "Send typing indicator and read receipt",
    ]);
    expect(misfits(asRepaired, "WebhookPayload", EXAMPLE_WEBHOOKS)).toEqual([
      "Group Create Message",
      "Group Settings Update",
      "Group Remove Participants",
    ]);
  });

  it.each(REPAIRS.map(({ reason }) => reason))("fits fewer examples without the repair %s", (reason) => {
    const others = REPAIRS.filter((each) => each.reason !== reason);
    const judge = judgeBy(repair(PUBLISHED, others));
    const fitting = 66 - misfits(judge, "Message", MESSAGES).length - misfits(judge, "WebhookPayload", EXAMPLE_WEBHOOKS).length;
    expect(fitting).toBeLessThan(57);
  });
});

const RECIPIENTS: Record<string, CloudRecipient> = {
  number: { to: `+${ANA}` },
  "user id": { recipient: BSUID },
  group: { group: "Y2FwaQ" },
};
const SENDS = Object.entries(RECIPIENTS).flatMap(([to, recipient]) =>
  Object.entries(CONTENTS).map(([kind, content]) => ({ to, recipient, kind, content })),
);

describe("a request of the product", () => {
  it.each(SENDS)("fits the description: $kind to a $to", ({ recipient, content }) => {
    const quoted = { raw: "", ref: { chat_id: `${ANA}@c.us`, message_id: "3EB0OWN", from_me: true, participant: null } };
    const parts = { recipient, wamidOf: () => "wamid.out", mediaId: () => "1003383421387256" };
    const bodies = [sendOf(content), sendOf(content, { quoted })].map((request) => bodyOf(request, parts));
    expect(bodies.map((body) => (body.ok ? sent(body.value) : ["none"]))).toEqual([[], []]);
  });

  it.each([
    ["a field that nobody knows", { colour: "red" }],
    ["a body that is too much", { text: { body: "a", bold: true } }],
    ["a text that is a number", { text: { body: 1 } }],
    ["nobody to send it to", { to: undefined }],
    ["another type's content", { type: "image" }],
  ])("does not fit with %s", (_, wrong) => {
    const body = { messaging_product: "whatsapp", to: `+${ANA}`, type: "text", text: { body: "a" } };
    expect(sent(body)).toEqual([]);
    expect(sent(JSON.parse(JSON.stringify({ ...body, ...wrong })))).not.toEqual([]);
  });

  it("does not fit if Meta has no such call", () => {
    expect(requestProblems({ method: "POST", path: "/v23.0/1/message", query: {}, status: 200, body: {}, answer: {} })).toHaveLength(1);
    expect(requestProblems({ method: "DELETE", path: "/v23.0/1/messages", query: {}, status: 200, body: {}, answer: {} })).toHaveLength(1);
  });
});

describe("an answer of Graph", () => {
  const contact = { input: `+${ANA}`, wa_id: ANA, user_id: BSUID };

  it.each([
    [
      "POST",
      "1/messages",
      { messaging_product: "whatsapp", contacts: [contact], messages: [{ id: "wamid.out", message_status: "accepted" }] },
    ],
    ["POST", "1/media", { id: "1003383421387256" }],
    [
      "GET",
      "1",
      {
        id: "1",
        display_phone_number: "+55 11 90000-0001",
        verified_name: "Sol",
        quality_rating: "GREEN",
        throughput: { level: "STANDARD" },
      },
    ],
    ["POST", "2/subscribed_apps", { success: true }],
    [
      "GET",
      "3",
      {
        messaging_product: "whatsapp",
        id: "3",
        url: "https://lookaside.fbsbx.com/x",
        mime_type: "image/jpeg",
        sha256: "a".repeat(64),
        file_size: "5",
      },
    ],
    ["GET", "Y2Fw/invite_link", { messaging_product: "whatsapp", invite_link: "https://chat.whatsapp.com/x" }],
  ])("fits the description: %s %s", (method, path, answer) => {
    expect(answered(method, path, answer)).toEqual([]);
    expect(answered(method, path, { ...answer, surprise: 1 })).not.toEqual([]);
  });

  it("has its error in an envelope", () => {
    const error = {
      message: "(#131047)",
      type: "OAuthException",
      code: 131_047,
      error_data: { messaging_product: "whatsapp", details: "…" },
      fbtrace_id: "A1",
    };
    expect(answered("POST", "1/messages", { error }, 400)).toEqual([]);
    expect(answered("POST", "1/messages", { error: { ...error, code: "131047" } }, 400)).not.toEqual([]);
    expect(answered("POST", "1/messages", {}, 400)).not.toEqual([]);
  });
});

describe("a webhook", () => {
  it.each(Object.entries(WEBHOOKS))("fits the description and is understood: %s", (_, webhook) => {
    expect(webhookProblems(webhook)).toEqual([]);
    const [{ field, value }] = webhook.entry[0]!.changes as [{ field: string; value: unknown }];
    const kinds = readChange(field, value, idsInMemory(), NOW).map(({ kind }) => kind);
    expect(kinds).not.toEqual([]);
    expect(kinds.filter((kind) => kind === "unreadable" || kind === "ignored")).toEqual([]);
  });

  it.each(EXAMPLE_WEBHOOKS)("is understood as in Meta's examples: %s", (_, webhook) => {
    const changes = webhook.entry.flatMap((entry) => entry.changes);
    const kinds = changes.flatMap(({ field, value }) => readChange(field, value, idsInMemory(), NOW).map(({ kind }) => kind));
    expect(kinds).not.toEqual([]);
    expect(kinds).not.toContain("unreadable");
  });

  it.each([
    [
      "a field that nobody knows",
      webhookOf("messages", { messages: [{ from: ANA, id: "w", timestamp: "1", type: "text", text: { body: "a" }, mood: 1 }] }),
    ],
    [
      "a time that is a number",
      webhookOf("messages", { messages: [{ from: ANA, id: "w", timestamp: 1, type: "text", text: { body: "a" } }] }),
    ],
    ["a type that nobody knows", webhookOf("messages", { messages: [{ from: ANA, id: "w", timestamp: "1", type: "hologram" }] })],
    ["a status that nobody knows", webhookOf("messages", { statuses: [{ id: "w", status: "warmed", timestamp: "1" }] })],
    ["a field of changes that nobody knows", webhookOf("weather", {})],
    ["no changes", { object: "whatsapp_business_account", entry: [{ id: "1" }] }],
  ])("does not fit with %s", (_, webhook) => {
    expect(webhookProblems(webhook)).not.toEqual([]);
  });
});
