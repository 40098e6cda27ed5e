// Checks requests, responses and webhooks against Meta's OpenAPI file as repaired, plus its guides' additions. Schemas are closed: a field
// that neither describes is a problem, whether sent or received.
import { dereference, validate } from "@cfworker/json-schema";
import type { Schemas } from "./repairs.ts";
import { CLOSED, type Fields, isFields, PUBLISHED, REPAIRED } from "./schemas.ts";

const BASE = "https://contract.test/";

/** Schema violations of a value; empty if it is valid. */
type Judge = (name: string, value: unknown) => string[];

/** `name` is a schema's name, or an operation's schema. */
export function judgeBy(schemas: Schemas): Judge {
  const lookup = dereference({ $id: BASE, components: { schemas } } as object);
  return (name, value) => {
    if (schemas[name] === undefined) throw new Error(`no schema ${name}`);
    const { valid, errors } = validate(value, { $ref: `${BASE}#/components/schemas/${name}` } as object, "2020-12", lookup, false);
    if (valid) return [];
    const telling = errors.filter(({ error }) => !/subschema|does not match schema|Items did not/.test(error));
    return (telling.length > 0 ? telling : errors).map(({ instanceLocation, error }) => `${name} ${instanceLocation} ${error}`).slice(0, 6);
  };
}

export const asPublished: Judge = judgeBy(PUBLISHED);
export const asRepaired: Judge = judgeBy(REPAIRED);
const judge: Judge = judgeBy(CLOSED);

type Chooser = string | ((body: Fields, query: Fields) => string | null);

/** null: the body is not checked. */
type Row = { method: string; path: RegExp; page?: string; request?: Chooser | null; answer?: Chooser | null };

const ID = String.raw`[\w:.=%-]+`;
const at = (method: string, rest: string): Pick<Row, "method" | "path"> => ({ method, path: new RegExp(`^/v\\d+\\.\\d+/${rest}$`) });
const edge = (method: string, name: string) => at(method, `${ID}/${name}`);

/** All calls that the product may make. `page` marks a call that is missing from the file but described in that guide. */
const ROWS: readonly Row[] = [
  {
    ...edge("POST", "messages"),
    request: sentBody,
    answer: (body) => ("success" in body ? "MarkMessageResponsePayload" : "MessageResponsePayload"),
  },
  { ...edge("POST", "media"), request: "UploadForm", answer: "UploadAnswer" },
  { ...edge("GET", "block_users"), answer: "GetBlockedUsersData" },
  { ...edge("POST", "block_users"), request: "BlockForm", answer: "BlockUsersData" },
  { ...edge("DELETE", "block_users"), request: "BlockForm", answer: "UnblockUsersData" },
  {
    ...edge("POST", "calls"),
    request: ({ action }) => (action === "terminate" ? "CallTerminateRequestPayload" : "CallRejectRequestPayload"),
    answer: "SuccessResponse",
  },
  { ...edge("GET", "groups"), answer: "GroupList" },
  { ...edge("POST", "groups"), request: "GroupForm", answer: "GroupRequest" },
  { ...edge("POST", "register"), request: "WhatsAppBusinessPhoneNumberRegistrationRequest", answer: "SuccessResponse" },
  { ...edge("GET", "whatsapp_business_profile"), answer: "ProfileAnswer" },
  { ...edge("POST", "whatsapp_business_profile"), request: "WhatsAppBusinessProfileUpdateRequest", answer: "SuccessResponse" },
  { ...edge("GET", "subscribed_apps"), answer: "SubscribedAppsAnswer" },
  { ...edge("POST", "subscribed_apps"), request: "SubscriptionRequest", answer: "SuccessResponse" },
  { ...edge("DELETE", "subscribed_apps"), answer: "SuccessResponse" },
  { ...edge("GET", "invite_link"), answer: "InviteLink" },
  { ...edge("POST", "invite_link"), request: "OnlyProduct", answer: "InviteLink" },
  { ...edge("GET", "join_requests"), answer: "JoinRequests" },
  { ...edge("POST", "join_requests"), request: "JoinDecision", answer: "JoinDecided" },
  { ...edge("DELETE", "join_requests"), request: "JoinDecision", answer: "JoinDecided" },
  { ...edge("DELETE", "participants"), request: "ParticipantForm", answer: null },
  { ...edge("GET", "phone_numbers"), page: "Graph API reference, WhatsApp Business Account, Phone Numbers", answer: null },
  { ...edge("GET", "subscriptions"), page: "Graph API reference, Application subscriptions", answer: null },
  { ...edge("POST", "subscriptions"), page: "Graph API reference, Application subscriptions", answer: "SuccessResponse" },
  { ...edge("POST", "uploads"), page: "Resumable upload API", answer: null },
  { ...at("POST", "upload:.+"), page: "Resumable upload API", answer: null },
  { ...at("GET", "upload:.+"), page: "Resumable upload API", answer: null },
  { ...at("GET", ID), answer: nodeOf },
  { ...at("POST", ID), request: changeOf, answer: (body) => ("success" in body ? "SuccessResponse" : "GroupRequest") },
  { ...at("DELETE", ID), answer: (body) => ("success" in body ? "SuccessResponse" : "GroupRequest") },
];

export type Call = { method: string; path: string; query: Fields; status: number; body: unknown; answer: unknown };

/** Problems with a call's request; empty if there are none. */
export function requestProblems({ method, path, query, body }: Call): string[] {
  const row = ROWS.find((each) => each.method === method && each.path.test(path));
  if (row === undefined) return [`${method} ${path.replaceAll(/\d{5,}/g, "…")} is in neither Meta's file nor its guides`];
  // If every field is optional, so is the body.
  return heldAgainst(row.request, body ?? {}, query);
}

/** Problems with the response to a call. */
export function answerProblems({ method, path, query, status, answer }: Call): string[] {
  if (isFields(answer) && "error" in answer) return judge("ErrorAnswer", answer);
  if (status >= 300) return [`status ${status} without an error`];
  const row = ROWS.find((each) => each.method === method && each.path.test(path));
  return row === undefined ? [] : heldAgainst(row.answer, answer, query);
}

function heldAgainst(chooser: Chooser | null | undefined, body: unknown, query: Fields): string[] {
  if (chooser === null || chooser === undefined) return [];
  if (!isFields(body)) return ["no object"];
  const name = typeof chooser === "string" ? chooser : chooser(body, query);
  return name === null ? [] : judge(name, body);
}

const SENT: Readonly<Record<string, string>> = {
  text: "TextMessage",
  image: "ImageMessage",
  video: "VideoMessage",
  audio: "AudioMessage",
  document: "DocumentMessage",
  sticker: "StickerMessage",
  location: "LocationMessage",
  contacts: "ContactsMessage",
  reaction: "ReactionMessage",
  interactive: "InteractiveMessage",
  template: "TemplateMessage",
};

/** Selects the schema by type, so that problems refer to the right kind of message. */
function sentBody(body: Fields): string {
  return body["status"] === "read" ? "MarkMessageRequestPayload" : (SENT[String(body["type"])] ?? "Message");
}

function nodeOf(body: Fields): string {
  if ("mime_type" in body) return "MediaAnswer";
  return "participants" in body || "subject" in body || "join_approval_mode" in body ? "GroupInfo" : "PhoneNumberInfo";
}

function changeOf(body: Fields): string {
  // A group's picture is uploaded like a file.
  if ("file" in body) return "UploadForm";
  return "webhook_configuration" in body ? "PhoneNumberStatusUpdateRequest" : "GroupChange";
}

const RECEIVED: Readonly<Record<string, string>> = {
  text: "TextMessage_2",
  reaction: "ReactionMessage_1",
  audio: "AudioMessage_1",
  document: "DocumentMessage_1",
  image: "ImageMessage_1",
  sticker: "StickerMessage_1",
  video: "VideoMessage_1",
  location: "LocationMessage_1",
  contacts: "ContactSharingMessage",
  unsupported: "UnsupportedMessage",
  button: "ButtonMessage",
  interactive: "InteractiveMessageReply",
  order: "OrderMessage",
  system: "SystemMessage",
  edit: "EditMessage",
  revoke: "RevokeMessage",
};

/** Problems with a webhook. */
export function webhookProblems(body: unknown): string[] {
  const outer = judge("WebhookOuter", body);
  if (outer.length > 0) return outer;
  const entries = (body as { entry: { changes: { field: string; value: Fields }[] }[] }).entry;
  return entries.flatMap(({ changes }) => changes.flatMap(({ field, value }) => valueProblems(field, value)));
}

function valueProblems(field: string, value: Fields): string[] {
  if (/^group_\w+_update$/.test(field)) return judge("GroupValue", value);
  if (field === "calls") return judge("CallValue", value);
  if (field === "smb_message_echoes") return [...judge("EchoValue", value), ...itemsOf(value, "message_echoes").flatMap(echoProblems)];
  if (field !== "messages")
    return /^(account_|phone_number_|message_template_|security)/.test(field)
      ? judge("AccountValue", value)
      : [`field ${field} is not known`];
  if ("statuses" in value) return judge("StatusMessageValue", value);
  if (!("messages" in value) && "errors" in value) return [];
  return [...judge("MessageValue", value), ...itemsOf(value, "messages").flatMap(messageProblems)];
}

function messageProblems(message: Fields): string[] {
  const name = RECEIVED[String(message["type"])];
  return name === undefined ? [`message of type ${String(message["type"])} is not known`] : judge(name, message);
}

/** An echo has a recipient, unlike a received message. */
function echoProblems({ to: _, to_user_id: _id, ...message }: Fields): string[] {
  return messageProblems(message);
}

function itemsOf(value: Fields, name: string): Fields[] {
  return (Array.isArray(value[name]) ? value[name] : []).filter(isFields);
}
