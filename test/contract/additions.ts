// Features described in Meta's guides but missing from its OpenAPI file. Product and local network may use only features listed here or in
// the file. `page`: the guide's title.
import {
  TEXT,
  NUMBER_OR_TEXT,
  BOOLEAN,
  ref,
  array,
  object,
  oneOf,
  fields,
  optional,
  schema,
  subscribedApp,
  choices,
  both,
  PARTICIPANT_STATUS,
  valueOf,
  incoming,
  needRecipient,
  ofAnswers,
  ofProfiles,
  ofSystemMessages,
  ofContexts,
  ofFile,
  ofHalf,
  filesMayFail,
  withoutEmoji,
  withoutPlaceName,
  ofReplies,
  ofVoice,
  ofTypes,
  ofGroups,
  ofNumbers,
  profile,
} from "./added-schemas.ts";
import type { Schemas } from "./repairs.ts";

const MESSAGES = "Cloud API reference, Messages";
const USER_IDS = "Business-scoped user IDs";
const STATUSES = "Webhooks reference, messages: status";
const GROUPS = "Groups API, webhooks";
const CALLS = "Calling API, user-initiated calls";
const NUMBERS = "Graph API reference, WhatsApp Business Phone Number";
const COEXISTENCE = "Onboarding WhatsApp Business app users";
type Addition = { what: string; page: string; apply: (schemas: Schemas) => void };

export const ADDITIONS: readonly Addition[] = [
  {
    what: "a send carries text of the caller's",
    page: MESSAGES,
    apply: fields("BaseMessageProperties", { biz_opaque_callback_data: { type: "string", maxLength: 512 } }),
  },
  {
    what: "a status brings it back",
    page: STATUSES,
    apply: fields("Statuses", { biz_opaque_callback_data: { type: "string", maxLength: 512 } }),
  },
  {
    what: "a message to a user id",
    page: USER_IDS,
    apply: both(fields("BaseMessageProperties", { recipient: TEXT }), optional("BaseMessageProperties", "to"), needRecipient),
  },
  { what: "user ids in answers", page: USER_IDS, apply: ofAnswers },
  {
    what: "user ids in messages",
    page: USER_IDS,
    apply: both(fields("BaseMessageProperties_1", { from_user_id: TEXT }), optional("BaseMessageProperties_1", "from")),
  },
  { what: "user ids and usernames in contacts", page: USER_IDS, apply: ofProfiles },
  {
    what: "user ids in statuses; a phone may be absent",
    page: USER_IDS,
    apply: both(fields("Statuses", { recipient_user_id: TEXT }), optional("Statuses", "recipient_id")),
  },
  { what: "a system message of a changed user id", page: USER_IDS, apply: ofSystemMessages },
  { what: "status played", page: STATUSES, apply: choices("Statuses", "status", "played") },
  { what: "statuses of groups", page: GROUPS, apply: fields("Statuses", PARTICIPANT_STATUS) },
  { what: "statuses with contacts", page: STATUSES, apply: fields("StatusMessageValue", { contacts: array(ref("ContactProfile")) }) },
  { what: "the type of a price", page: STATUSES, apply: fields("Pricing", { type: TEXT }) },
  { what: "errors of webhooks say of what product", page: STATUSES, apply: fields("ErrorData", { messaging_product: TEXT }) },
  { what: "messages of groups", page: GROUPS, apply: fields("BaseMessageProperties_1", { group_id: TEXT }) },
  { what: "what a message answers, and that it was forwarded", page: "Webhooks reference, messages", apply: ofContexts },
  {
    what: "the address of a file in its webhook",
    page: "Webhooks reference, messages",
    apply: fields("MediaMessageProperties", { url: TEXT }),
  },
  {
    what: "a sticker that moves, a file's name",
    page: "Webhooks reference, messages",
    apply: both(
      ofFile("StickerMessage_1", "sticker", { animated: BOOLEAN }),
      ofFile("DocumentMessage_1", "document", { filename: TEXT, caption: TEXT }),
    ),
  },
  { what: "a place without a name", page: "Webhooks reference, messages: location", apply: withoutPlaceName },
  { what: "a reaction that is taken back has no emoji", page: "Webhooks reference, messages: reaction", apply: withoutEmoji },
  {
    what: "what an unsupported message is",
    page: "Webhooks reference, messages: unsupported",
    apply: both(ofHalf("UnsupportedMessage", { unsupported: object({ type: TEXT }) })),
  },
  {
    what: "a file that could not be taken over",
    page: "Webhooks reference, messages: errors",
    apply: (schemas) =>
      ["ImageMessage_1", "VideoMessage_1", "AudioMessage_1", "DocumentMessage_1", "StickerMessage_1"].forEach((name) =>
        filesMayFail(name, schemas),
      ),
  },
  { what: "a list's description, an answer's title", page: "Interactive list messages", apply: ofReplies },
  { what: "voice messages of one's own", page: "Audio messages", apply: ofVoice },
  {
    what: "a name and a caption of one's own document, captions",
    page: "Document messages",
    apply: fields("MediaObject", { filename: TEXT, caption: { type: "string", maxLength: 1_024 } }),
  },
  {
    what: "an email, address or number needs no type",
    page: "Contacts messages",
    apply: both(choices("PhoneObject", "type", "CELL", "MAIN", "IPHONE"), ofTypes),
  },
  {
    what: "that one is typing",
    page: "Typing indicators",
    apply: fields("MarkMessageRequestPayload", { typing_indicator: object({ type: oneOf("text") }, ["type"]) }),
  },
  {
    what: "buttons that open an address",
    page: "Interactive call-to-action URL button messages",
    apply: choices("InteractiveObject", "type", "cta_url"),
  },
  {
    what: "edits and deletions",
    page: "Webhooks reference, messages",
    apply: both(
      schema(
        "EditMessage",
        incoming("edit", object({ original_message_id: TEXT, message: { type: "object" } }, ["original_message_id", "message"])),
      ),
      schema("RevokeMessage", incoming("revoke", object({ original_message_id: TEXT }, ["original_message_id"]))),
    ),
  },
  {
    what: "messages of the business's own phone",
    page: COEXISTENCE,
    apply: schema("EchoValue", valueOf({ message_echoes: { type: "array", items: { type: "object" } } }, ["message_echoes"])),
  },
  {
    what: "calls",
    page: CALLS,
    apply: schema("CallValue", valueOf({ contacts: array(ref("ContactProfile")), calls: array(ref("IncomingCall")) }, ["calls"])),
  },
  {
    what: "one call",
    page: CALLS,
    apply: schema(
      "IncomingCall",
      object(
        {
          id: TEXT,
          from: TEXT,
          from_user_id: TEXT,
          to: TEXT,
          event: oneOf("connect", "terminate"),
          direction: oneOf("USER_INITIATED", "BUSINESS_INITIATED"),
          timestamp: TEXT,
          session: object({ sdp_type: TEXT, sdp: TEXT }),
          status: oneOf("COMPLETED", "FAILED"),
          start_time: TEXT,
          end_time: TEXT,
          duration: NUMBER_OR_TEXT,
        },
        ["id", "event", "timestamp"],
      ),
    ),
  },
  {
    what: "rejecting a call names it",
    page: CALLS,
    apply: schema(
      "CallRejectRequestPayload",
      object({ messaging_product: TEXT, call_id: TEXT, action: oneOf("reject", "accept", "pre_accept") }, [
        "messaging_product",
        "call_id",
        "action",
      ]),
    ),
  },
  { what: "groups: fields, types, texts of changes", page: GROUPS, apply: ofGroups },
  {
    what: "whom a block could not take",
    page: "Block users",
    apply: fields("BlockUsersResult", { failed_users: array(object({ input: TEXT, wa_id: TEXT, errors: array(ref("StatusError")) })) }),
  },
  {
    what: "reading a group's link",
    page: "Groups API, invite links",
    apply: schema("InviteLink", object({ messaging_product: TEXT, invite_link: TEXT }, ["invite_link"])),
  },
  { what: "fields of a number", page: NUMBERS, apply: ofNumbers },
  { what: "a quality that is not known", page: NUMBERS, apply: choices("PhoneNumberInfo", "quality_rating", "UNKNOWN") },
  {
    what: "an address is removed by an empty one",
    page: "Webhooks, override callback",
    apply: fields("WebhookConfiguration", { override_callback_uri: { type: "string", maxLength: 200 } }),
  },
  {
    what: "a profile is not nested",
    page: "Business profiles",
    apply: schema("ProfileAnswer", object({ data: array(profile()) }, ["data"])),
  },
  {
    what: "an app is named inside",
    page: "Subscribing to webhooks",
    apply: schema("SubscribedAppsAnswer", object({ data: array(subscribedApp()) }, ["data"])),
  },
  {
    what: "a file's size as a number, and the type of an upload",
    page: "Media",
    apply: schema(
      "MediaAnswer",
      object(
        {
          messaging_product: TEXT,
          id: TEXT,
          url: TEXT,
          mime_type: TEXT,
          sha256: { type: "string", pattern: "^[0-9a-f]{64}$" },
          file_size: NUMBER_OR_TEXT,
        },
        ["id", "url", "mime_type", "sha256"],
      ),
    ),
  },
  {
    what: "details of an error",
    page: "Error codes",
    apply: schema(
      "ErrorAnswer",
      object(
        {
          error: object(
            {
              message: TEXT,
              type: TEXT,
              code: { type: "integer" },
              error_subcode: { type: "integer" },
              error_data: object({ messaging_product: TEXT, details: TEXT }),
              is_transient: BOOLEAN,
              error_user_title: TEXT,
              error_user_msg: TEXT,
              fbtrace_id: TEXT,
            },
            ["message", "type", "code"],
          ),
        },
        ["error"],
      ),
    ),
  },
  {
    what: "changes of the account and of the number",
    page: "Webhooks reference, account_update and others",
    apply: schema("AccountValue", { type: "object", unevaluatedProperties: true }),
  },
];

export function withAdditions(schemas: Schemas): Schemas {
  const added = structuredClone(schemas);
  for (const { apply } of ADDITIONS) apply(added);
  return added;
}
