import { describe, expect, it } from "vitest";
import { CLOUD_LIMITS, NAMED_CLOUD_LIMITS } from "@gateway/domain/cloud/limits.ts";
import { bodyOf, type BodyContext, fileFailure, filesOf, limitFailure } from "@gateway/domain/cloud/request.ts";
import { messageIdIn } from "@gateway/domain/cloud/ids.ts";
import { contentIn, quotedOf, sentMessage } from "@gateway/domain/cloud/view.ts";
import { NO_EXTRAS } from "@gateway/protocol/message.ts";
import { ANA, BSUID, sendOf } from "./worlds.ts";
import { CONTENTS, FILE } from "./contents.ts";

const PARTS: BodyContext = {
  recipient: { to: `+${ANA}` },
  wamidOf: (id) => (id === "3EB0OWN" ? "wamid.out" : id.startsWith("wamid.") ? id : null),
  mediaId: ({ token }) => `id-of-${token}`,
};
const REF = { chat_id: `${ANA}@c.us`, message_id: "3EB0OWN", from_me: true, participant: null };

const body = (content: (typeof CONTENTS)[keyof typeof CONTENTS], parts: Partial<BodyContext> = {}) =>
  bodyOf(sendOf(content), { ...PARTS, ...parts });

describe("the body of a send", () => {
  it("names the recipient with a plus, and us by our id alone", () => {
    expect(body(CONTENTS.text)).toEqual({
      ok: true,
      value: {
        messaging_product: "whatsapp",
        recipient_type: "individual",
        to: `+${ANA}`,
        type: "text",
        text: { body: "Olá!" },
        biz_opaque_callback_data: "m1.3EB0C431C26A1916E07A",
      },
    });
    expect(messageIdIn("m1.3EB0C431C26A1916E07A")).toBe("3EB0C431C26A1916E07A");
  });

  it("names a person without a phone by user id, and a group by its own id", () => {
    const toPerson = body(CONTENTS.text, { recipient: { recipient: BSUID } });
    expect(toPerson).toMatchObject({ value: { recipient_type: "individual", recipient: BSUID } });
    expect(toPerson.ok && "to" in toPerson.value).toBe(false);
    expect(body(CONTENTS.text, { recipient: { group: "Y2FwaQ" } })).toMatchObject({ value: { recipient_type: "group", to: "Y2FwaQ" } });
  });

  it.each([
    ["image", { type: "image", image: { id: "id-of-t1", caption: "Um ponto" } }],
    ["video", { type: "video", video: { id: "id-of-t1" } }],
    ["audio", { type: "audio", audio: { id: "id-of-t1" } }],
    ["voice", { type: "audio", audio: { id: "id-of-t1", voice: true } }],
    ["document", { type: "document", document: { id: "id-of-t1", filename: "ponto.bin", caption: "Leia" } }],
    ["sticker", { type: "sticker", sticker: { id: "id-of-t1" } }],
    ["location", { type: "location", location: { latitude: -23.5614, longitude: -46.6559, name: "MASP" } }],
    ["reaction", { type: "reaction", reaction: { message_id: "wamid.out", emoji: "👍" } }],
    [
      "contact",
      {
        type: "contacts",
        contacts: [
          {
            name: { formatted_name: "Bia Reis", first_name: "Bia", last_name: "Reis" },
            phones: [{ phone: "+5511988887777", wa_id: "5511988887777" }, { phone: "+551133334444" }],
            emails: [{ email: "bia@example.com" }],
            org: { company: "Sol" },
          },
        ],
      },
    ],
    [
      "list",
      {
        type: "interactive",
        interactive: {
          type: "list",
          header: { type: "text", text: "Agenda" },
          body: { text: "Escolha" },
          action: {
            button: "Ver",
            sections: [
              {
                title: "Dias",
                rows: [
                  { id: "ter", title: "Terça", description: "à tarde" },
                  { id: "qui", title: "Quinta" },
                ],
              },
            ],
          },
        },
      },
    ],
    [
      "buttons",
      {
        type: "interactive",
        interactive: {
          type: "button",
          header: { type: "image", image: { id: "id-of-t1" } },
          body: { text: "Confirma?" },
          footer: { text: "Sol" },
          action: { buttons: [{ type: "reply", reply: { id: "sim", title: "Sim" } }] },
        },
      },
    ],
    [
      "template",
      {
        type: "template",
        template: {
          name: "boas_vindas",
          language: { code: "pt_BR" },
          components: [{ type: "body", parameters: [{ type: "text", text: "Ana" }] }],
        },
      },
    ],
  ] as const)("is Graph's for the kind %s", (kind, expected) => {
    const written = body(CONTENTS[kind]);
    expect(written).toMatchObject({ ok: true, value: expected });
    // The request must contain only documented fields.
    const content = written.ok ? written.value[expected.type] : null;
    expect(content).toEqual((expected as Record<string, unknown>)[expected.type]);
  });

  it("quotes by the id that Graph knows", () => {
    const quoted = { raw: "", ref: REF };
    expect(bodyOf(sendOf(CONTENTS.text, { quoted }), PARTS)).toMatchObject({ value: { context: { message_id: "wamid.out" } } });
    const gone = { raw: "", ref: { ...REF, message_id: "3EB0GONE" } };
    expect(bodyOf(sendOf(CONTENTS.text, { quoted: gone }), PARTS)).toMatchObject({
      ok: false,
      failure: { code: "quoted_message_not_found" },
    });
    const reaction = { ...CONTENTS.reaction, target: gone.ref };
    expect(bodyOf(sendOf(reaction), PARTS)).toMatchObject({ ok: false, failure: { code: "message_not_found" } });
  });

  it("does not exist for content that the Cloud API cannot send", () => {
    const poll = { kind: "poll" as const, poll: { question: "?", options: ["a", "b"], selectable_count: 1 } };
    expect(bodyOf(sendOf(poll), PARTS)).toMatchObject({ ok: false, failure: { code: "not_supported" } });
  });

  it("names the files that are uploaded first", () => {
    expect(Object.values(CONTENTS).flatMap((content) => filesOf(content).map(({ as }) => as))).toEqual([
      "image",
      "video",
      "audio",
      "voice",
      "document",
      "sticker",
      "image",
    ]);
  });

  it("is kept with the message, so that it can be quoted and its file found", () => {
    const written = body(CONTENTS.image);
    if (!written.ok) throw new Error("no body");
    const pending = {
      message_id: "3EB0C431C26A1916E07A",
      chat_id: "1234567@c.us",
      from_me: true,
      sender: null,
      push_name: null,
      timestamp: 1,
      media: null,
      ...NO_EXTRAS,
      type: "image",
      text: "Um ponto",
      raw: null,
    };
    const message = sentMessage(pending, written.value, { chatId: `${ANA}@c.us`, timestamp: 1_768_478_400 });
    expect(message).toMatchObject({ chat_id: `${ANA}@c.us`, timestamp: 1_768_478_400, type: "image", text: "Um ponto" });
    expect(contentIn(message.raw)).toMatchObject({ type: "image", image: { id: "id-of-t1" } });
    expect(Buffer.from(message.raw ?? "", "base64").toString()).not.toContain(ANA);
    expect(quotedOf({ quoted: { raw: message.raw ?? "", ref: REF } })).toEqual({
      message_id: "3EB0OWN",
      from: null,
      from_me: true,
      text: "Um ponto",
      type: "image",
    });
    expect(quotedOf({ quoted: { raw: "bm8ganNvbg==", ref: REF } })).toMatchObject({ text: null, type: "unknown" });
    expect(quotedOf({ quoted: { raw: message.raw ?? "", ref: { ...REF, from_me: false } } })).toMatchObject({
      from: { phone: ANA, lid: null },
      from_me: false,
    });
  });
});

describe("the limits of the Cloud API", () => {
  it("let a document be of any type", () => {
    const document = { ...FILE, size: CLOUD_LIMITS.documentBytes, mimetype: "application/x-anything" };
    expect(fileFailure({ file: document, as: "document" })).toBeNull();
    expect(fileFailure({ file: { ...document, size: document.size + 1 }, as: "document" })).toMatchObject({
      failure: { code: "limit_of_kind" },
    });
  });

  const { text, image, list, buttons } = CONTENTS;
  const long = (length: number) => "ã".repeat(length);

  it.each([
    ["a text", { ...text, text: long(4_096) }, { ...text, text: long(4_097) }, "cloud_text_characters"],
    ["a caption", { ...image, caption: long(1_024) }, { ...image, caption: long(1_025) }, "cloud_caption_characters"],
    ["a list's button", { ...list, button: long(20) }, { ...list, button: long(21) }, "cloud_list_button_characters"],
    ["a body", { ...buttons, body: long(1_024) }, { ...buttons, body: long(1_025) }, "cloud_body_characters"],
    ["a footer", { ...buttons, footer: long(60) }, { ...buttons, footer: long(61) }, "cloud_footer_characters"],
  ])("hold %s to its longest", (_, longest, longer, limit) => {
    expect(limitFailure(longest)).toBeNull();
    expect(limitFailure(longer)).toMatchObject({ failure: { code: "limit_of_kind", details: { limit } } });
    expect(NAMED_CLOUD_LIMITS).toHaveProperty(limit);
  });

  it("hold a list to ten rows and buttons to three", () => {
    const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ row_id: `r${at}`, title: "a", description: null }));
    const sections = (count: number) => [
      { title: "a", rows: rows(6) },
      { title: "b", rows: rows(count - 6) },
    ];
    expect(limitFailure({ ...list, sections: sections(10) })).toBeNull();
    expect(limitFailure({ ...list, sections: sections(11) })).toMatchObject({
      failure: { details: { limit: "cloud_list_rows", most: 10 } },
    });
    const four = Array.from({ length: 4 }, (_, at) => ({ button_id: `b${at}`, title: "a" }));
    expect(limitFailure({ ...buttons, buttons: four })).toMatchObject({ failure: { details: { limit: "cloud_buttons", most: 3 } } });
  });

  it.each([
    ["image", "image/png", CLOUD_LIMITS.imageBytes, "image/webp"],
    ["video", "video/mp4", CLOUD_LIMITS.videoBytes, "video/webm"],
    ["audio", "audio/mpeg", CLOUD_LIMITS.audioBytes, "audio/wav"],
    ["voice", "audio/ogg; codecs=opus", CLOUD_LIMITS.voiceBytes, "audio/mpeg"],
    ["sticker", "image/webp", CLOUD_LIMITS.animatedStickerBytes, "image/png"],
  ] as const)("hold a file of kind %s to its types and its size", (as, mimetype, most, wrong) => {
    const failureOf = (size: number, type: string) => fileFailure({ file: { ...FILE, size, mimetype: type }, as });
    expect(failureOf(most, mimetype)).toBeNull();
    expect(failureOf(most + 1, mimetype)).toMatchObject({
      failure: { code: "limit_of_kind", details: { limit: `cloud_${as}_bytes`, limit_bytes: most } },
    });
    expect(failureOf(1, wrong)?.failure).toMatchObject({ code: "media_invalid", details: { found: wrong } });
  });
});
