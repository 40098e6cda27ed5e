// Builds the body of `POST /{phone number id}/messages`, and checks the limits before anything is stored.
import type { MediaRef, SendContent, SendRequest } from "@gateway/protocol/content.ts";
import { fail, type Failed, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { hasAtMostCharacters } from "../messages/characters.ts";
import { cardFields } from "../messages/vcard.ts";
import { callbackDataOf } from "./ids.ts";
import { CLOUD_FILE_RULES, CLOUD_LIMITS } from "./limits.ts";

type ContentOf<K extends SendContent["kind"]> = Extract<SendContent, { kind: K }>;

type CloudKind =
  | "text"
  | "image"
  | "video"
  | "audio"
  | "voice"
  | "document"
  | "sticker"
  | "location"
  | "contact"
  | "reaction"
  | "list"
  | "buttons"
  | "template";

/** `to` starts with a plus. Without it, Meta may assume the business's own country. */
export type CloudRecipient = { to: string } | { recipient: string } | { group: string };

export type GraphSend = Readonly<Record<string, unknown>> & { type: string };

export type BodyContext = {
  recipient: CloudRecipient;
  /** Returns null if Graph has never accepted the message. */
  wamidOf: (messageId: string) => string | null;
  mediaId: (file: MediaRef) => string;
};

/** Fails with `not_supported`, or with `message_not_found` or `quoted_message_not_found` when the target is not on Graph. */
export function bodyOf(request: SendRequest, parts: BodyContext): Outcome<GraphSend> {
  const { message_id, content, quoted } = request;
  // Each builder accepts only content of its own kind, which the compiler cannot infer.
  const build = BUILDERS[content.kind as CloudKind] as ((content: SendContent, parts: BodyContext) => Outcome<Built>) | undefined;
  if (build === undefined) return fail("not_supported", { details: { kind: "cloud_api" } });
  const outcome = build(content, parts);
  if (!outcome.ok) return outcome;
  const { type, node } = outcome.value;
  const context = quoted === null ? null : parts.wamidOf(quoted.ref.message_id);
  if (quoted !== null && context === null) return fail("quoted_message_not_found");
  const body = {
    messaging_product: "whatsapp",
    ...recipientFields(parts.recipient),
    type,
    [type]: node,
    ...(context !== null && { context: { message_id: context } }),
    biz_opaque_callback_data: callbackDataOf(message_id),
  };
  return succeed(body);
}

type Built = { type: string; node: object };

const built = (type: string, node: object): Outcome<Built> => succeed({ type, node });

function recipientFields(recipient: CloudRecipient) {
  return "group" in recipient ? { recipient_type: "group", to: recipient.group } : { recipient_type: "individual", ...recipient };
}

const BUILDERS: { [K in CloudKind]: (content: ContentOf<K>, parts: BodyContext) => Outcome<Built> } = {
  text: ({ text }) => built("text", { body: text }),
  image: ({ media, caption }, { mediaId }) => built("image", { id: mediaId(media), ...captioned(caption) }),
  video: ({ media, caption }, { mediaId }) => built("video", { id: mediaId(media), ...captioned(caption) }),
  audio: ({ media }, { mediaId }) => built("audio", { id: mediaId(media) }),
  voice: ({ media }, { mediaId }) => built("audio", { id: mediaId(media), voice: true }),
  document: ({ media, caption }, { mediaId }) =>
    built("document", { id: mediaId(media), ...(media.filename !== null && { filename: media.filename }), ...captioned(caption) }),
  sticker: ({ media }, { mediaId }) => built("sticker", { id: mediaId(media) }),
  location: ({ location: { latitude, longitude, name, address } }) =>
    built("location", { latitude, longitude, ...(name !== null && { name }), ...(address !== null && { address }) }),
  contact: ({ contacts }) => built("contacts", contacts.map(contactOf)),
  reaction: ({ target, reaction }, { wamidOf }) => {
    const wamid = wamidOf(target.message_id);
    return wamid === null ? fail("message_not_found") : built("reaction", { message_id: wamid, emoji: reaction });
  },
  list: ({ body, header, footer, button, sections }) =>
    built("interactive", {
      type: "list",
      ...(header !== null && { header: { type: "text", text: header } }),
      body: { text: body },
      ...(footer !== null && { footer: { text: footer } }),
      action: { button, sections: sections.map(({ title, rows }) => ({ title, rows: rows.map(listRowOf) })) },
    }),
  buttons: ({ body, header, footer, buttons }, { mediaId }) =>
    built("interactive", {
      type: "button",
      ...(header !== null && {
        header: typeof header === "string" ? { type: "text", text: header } : { type: "image", image: { id: mediaId(header) } },
      }),
      body: { text: body },
      ...(footer !== null && { footer: { text: footer } }),
      action: { buttons: buttons.map(({ button_id, title }) => ({ type: "reply", reply: { id: button_id, title } })) },
    }),
  template: ({ name, language, components }) =>
    built("template", {
      name,
      language: { code: language },
      ...(components !== null && { components: JSON.parse(components) as unknown }),
    }),
};

function captioned(caption: string | null) {
  return caption === null || caption === "" ? {} : { caption };
}

function listRowOf({ row_id, title, description }: ContentOf<"list">["sections"][number]["rows"][number]) {
  return { id: row_id, title, ...(description !== null && { description }) };
}

/** Besides `formatted_name`, Graph requires one more part of the name. */
function contactOf({ full_name, phone, vcard }: ContentOf<"contact">["contacts"][number]) {
  const { given, family, phones, emails, organization } = cardFields(vcard);
  const numbers = phones.length > 0 || phone === null ? phones : [{ number: `+${phone}`, account: phone }];
  return {
    name: { formatted_name: full_name, first_name: given ?? full_name, ...(family !== null && { last_name: family }) },
    ...(numbers.length > 0 && {
      phones: numbers.map(({ number, account }) => ({ phone: number, ...(account !== null && { wa_id: account }) })),
    }),
    ...(emails.length > 0 && { emails: emails.map((email) => ({ email })) }),
    ...(organization !== null && { org: { company: organization } }),
  };
}

export function filesOf(content: SendContent): { file: MediaRef; as: keyof typeof CLOUD_FILE_RULES }[] {
  switch (content.kind) {
    case "image":
    case "video":
    case "audio":
    case "voice":
    case "document":
    case "sticker":
      return [{ file: content.media, as: content.kind }];
    case "buttons":
      return content.header === null || typeof content.header === "string" ? [] : [{ file: content.header, as: "image" }];
    default:
      return [];
  }
}

export function limitFailure(content: SendContent): Failed | null {
  for (const [limit, text] of textsOf(content)) {
    if (!hasAtMostCharacters(text, CLOUD_LIMITS[limit])) return exceeded(limit);
  }
  if (content.kind === "list" && content.sections.flatMap(({ rows }) => rows).length > CLOUD_LIMITS.listRows) return exceeded("listRows");
  if (content.kind === "buttons" && content.buttons.length > CLOUD_LIMITS.buttons) return exceeded("buttons");
  return null;
}

export function fileFailure({ file, as }: ReturnType<typeof filesOf>[number]): Failed | null {
  const { accepts, maxBytes } = CLOUD_FILE_RULES[as];
  if (accepts !== null && !accepts.includes(file.mimetype)) {
    return fail("media_invalid", { details: { reason: "wrong_format", expected: accepts.join(", "), found: file.mimetype } });
  }
  return file.size > maxBytes ? fail("limit_of_kind", { details: { limit: `cloud_${as}_bytes`, limit_bytes: maxBytes } }) : null;
}

type CharacterLimit = Extract<keyof typeof CLOUD_LIMITS, `${string}Characters`>;

function textsOf(content: SendContent): [CharacterLimit, string][] {
  switch (content.kind) {
    case "text":
      return [["textCharacters", content.text]];
    case "image":
    case "video":
    case "document":
      return [["captionCharacters", content.caption ?? ""]];
    case "list": {
      const rows = content.sections.flatMap((section) => section.rows);
      return [
        ["bodyCharacters", content.body],
        ["headerCharacters", content.header ?? ""],
        ["footerCharacters", content.footer ?? ""],
        ["listButtonCharacters", content.button],
        ...content.sections.map(({ title }): [CharacterLimit, string] => ["sectionTitleCharacters", title]),
        ...rows.flatMap(({ row_id, title, description }): [CharacterLimit, string][] => [
          ["rowIdCharacters", row_id],
          ["rowTitleCharacters", title],
          ["rowDescriptionCharacters", description ?? ""],
        ]),
      ];
    }
    case "buttons":
      return [
        ["bodyCharacters", content.body],
        ["headerCharacters", typeof content.header === "string" ? content.header : ""],
        ["footerCharacters", content.footer ?? ""],
        ...content.buttons.flatMap(({ button_id, title }): [CharacterLimit, string][] => [
          ["buttonIdCharacters", button_id],
          ["buttonTitleCharacters", title],
        ]),
      ];
    default:
      return [];
  }
}

function exceeded(limit: keyof typeof CLOUD_LIMITS): Failed {
  const name = `cloud_${limit.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
  return fail("limit_of_kind", { details: { limit: name, most: CLOUD_LIMITS[limit] } });
}
