// Schema changes made by the additions (test/contract/additions.ts).
import type { Schema, Schemas } from "./repairs.ts";

export const TEXT = { type: "string" };
export const NUMBER_OR_TEXT = { type: ["string", "number"] };
export const BOOLEAN = { type: "boolean" };
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
export const array = (items: Schema): Schema => ({ type: "array", items });
export const object = (properties: Schema, required: readonly string[] = []): Schema => ({ type: "object", properties, required });
export const oneOf = (...values: readonly string[]): Schema => ({ type: "string", enum: values });

/** Adds fields to a schema that is an object or an allOf of two halves. */
export const fields =
  (name: string, properties: Schema) =>
  (schemas: Schemas): void => {
    const schema = schemas[name];
    if (schema === undefined) throw new Error(`no schema ${name}`);
    const half = (schema["allOf"] as Schema[] | undefined)?.find((member) => member["properties"] !== undefined) ?? schema;
    half["properties"] = { ...half["properties"], ...properties };
  };
export const optional =
  (name: string, ...names: readonly string[]) =>
  (schemas: Schemas): void => {
    const schema = schemas[name];
    if (schema !== undefined) schema["required"] = ((schema["required"] ?? []) as string[]).filter((one) => !names.includes(one));
  };
export const schema =
  (name: string, value: Schema) =>
  (schemas: Schemas): void => {
    schemas[name] = value;
  };
export const choices =
  (name: string, property: string, ...values: readonly string[]) =>
  (schemas: Schemas): void => {
    const node = schemas[name]?.["properties"][property];
    node.enum = [...new Set([...(node.enum ?? []), ...values])];
  };
export const both =
  (...parts: readonly ((schemas: Schemas) => void)[]) =>
  (schemas: Schemas): void => {
    for (const part of parts) part(schemas);
  };

const INCOMING = ["TextMessage_2", "ReactionMessage_1", "AudioMessage_1", "DocumentMessage_1", "ImageMessage_1", "StickerMessage_1"];
const ALL_INCOMING = [
  ...INCOMING,
  "VideoMessage_1",
  "LocationMessage_1",
  "ContactSharingMessage",
  "UnsupportedMessage",
  "ButtonMessage",
  "InteractiveMessageReply",
  "OrderMessage",
  "SystemMessage",
];
export const PARTICIPANT_STATUS = { recipient_type: oneOf("individual", "group"), recipient_participant_id: TEXT };
const ERRORS = array(ref("StatusError"));

/** The half of a message's allOf with its own fields. */
function half(name: string, schemas: Schemas): any {
  const own = schemas[name]?.["allOf"]?.[1];
  if (own === undefined) throw new Error(`no halves of ${name}`);
  return own;
}

/** A webhook value without the fields common to all values. */
export function valueOf(properties: Schema, required: readonly string[]): Schema {
  return object({ messaging_product: TEXT, metadata: ref("Metadata"), ...properties }, ["messaging_product", "metadata", ...required]);
}

export function incoming(type: string, content: Schema): Schema {
  return {
    allOf: [
      ref("BaseMessageProperties_1"),
      { type: "object", properties: { type: oneOf(type), [type]: content, context: ref("ContextObject") }, required: ["type", type] },
    ],
  };
}

/** Requires one of the two ways to name the recipient. */
export function needRecipient({ BaseMessageProperties: base }: Schemas): void {
  if (base !== undefined) base["anyOf"] = [{ required: ["to"] }, { required: ["recipient"] }];
}

export function ofAnswers({ MessageResponsePayload: answer }: Schemas): void {
  Object.assign(answer?.["properties"].contacts.items.properties, { user_id: TEXT });
}

export function ofProfiles({ ContactProfile: contact }: Schemas): void {
  Object.assign(contact?.["properties"], { user_id: TEXT, parent_user_id: TEXT });
  Object.assign(contact?.["properties"].profile.properties, { username: TEXT });
}

export function ofSystemMessages(schemas: Schemas): void {
  const { properties } = half("SystemMessage", schemas).properties.system;
  properties.type.enum.push("user_changed_user_id", "customer_identity_changed");
  properties.user_id = TEXT;
}

export function ofContexts(schemas: Schemas): void {
  const context = schemas["ContextObject"] ?? {};
  Object.assign(context["properties"], { from_user_id: TEXT, forwarded: BOOLEAN, frequently_forwarded: BOOLEAN });
  delete context["required"];
  for (const name of ALL_INCOMING)
    Object.assign(half(name, schemas).properties, {
      context: ref("ContextObject"),
      errors: ERRORS,
      referral: ref("ReferralObject"),
    });
  // A button or choice reliably contains only the message that it answers.
  for (const name of ["ButtonMessage", "InteractiveMessageReply"]) optionalHalf(name, "context", schemas);
}

function optionalHalf(name: string, field: string, schemas: Schemas): void {
  const own = half(name, schemas);
  own.required = own.required.filter((one: string) => one !== field);
}

export function ofFile(name: string, field: string, properties: Schema): (schemas: Schemas) => void {
  return (schemas) => {
    const node = half(name, schemas).properties[field];
    const own = (node.allOf as Schema[] | undefined)?.find((member) => member["properties"] !== undefined);
    if (own !== undefined) Object.assign(own["properties"], properties);
    else half(name, schemas).properties[field] = { allOf: [node, { type: "object", properties }] };
  };
}

export function ofHalf(name: string, properties: Schema): (schemas: Schemas) => void {
  return (schemas) => void Object.assign(half(name, schemas).properties, properties);
}

export function filesMayFail(name: string, schemas: Schemas): void {
  const own = half(name, schemas);
  const field = own.required.find((one: string) => one !== "type");
  own.required = ["type"];
  own.anyOf = [{ required: [field] }, { required: ["errors"] }];
}

export function withoutEmoji(schemas: Schemas): void {
  half("ReactionMessage_1", schemas).properties.reaction.required = ["message_id"];
}

export function withoutPlaceName(schemas: Schemas): void {
  half("LocationMessage_1", schemas).properties.location.required = ["latitude", "longitude"];
}

export function ofReplies(schemas: Schemas): void {
  const { properties } = half("InteractiveMessageReply", schemas).properties.interactive;
  properties.list_reply = object({ id: TEXT, title: TEXT, description: TEXT }, ["id", "title"]);
  properties.button_reply = object({ id: TEXT, title: TEXT }, ["id", "title"]);
  properties.nfm_reply = object({ name: TEXT, body: TEXT, response_json: TEXT });
  properties.type.enum.push("nfm_reply");
}

export function ofVoice(schemas: Schemas): void {
  half("AudioMessage", schemas).properties.audio = {
    oneOf: [object({ id: TEXT, voice: BOOLEAN }, ["id"]), object({ link: TEXT, voice: BOOLEAN }, ["link"])],
  };
}

export function ofTypes(schemas: Schemas): void {
  for (const name of ["EmailObject", "UrlObject", "AddressObject"]) optional(name, "type")(schemas);
}

export function ofGroups(schemas: Schemas): void {
  const group = schemas["Groups"] ?? {};
  const setting = object({ text: TEXT, mime_type: TEXT, sha256: TEXT, update_successful: BOOLEAN, errors: ERRORS });
  Object.assign(group["properties"], {
    timestamp: NUMBER_OR_TEXT,
    invite_link: TEXT,
    join_approval_mode: oneOf("approval_required", "auto_approve"),
    initiated_by: oneOf("business", "participant"),
    reason: TEXT,
    wa_id: TEXT,
    join_request_id: TEXT,
    group_subject: setting,
    group_description: setting,
    profile_picture: setting,
    failed_participants: array(object({ input: TEXT, errors: ERRORS })),
    errors: ERRORS,
  });
  group["properties"].type.enum.push(
    "group_participants_add",
    "group_participants_remove",
    "group_join_request_created",
    "group_join_request_revoked",
    "group_suspend",
    "group_suspend_cleared",
  );
  // An event about people who join or leave by themselves has no request; one about a group that could not be created has no id.
  group["required"] = ["timestamp", "type"];
  Object.assign(schemas["GroupParticipant"]?.["properties"], { input: NUMBER_OR_TEXT, wa_id: NUMBER_OR_TEXT, user_id: TEXT });
  Object.assign(schemas["GroupInfo"]?.["properties"], {
    creation_timestamp: NUMBER_OR_TEXT,
    participants: array(object({ wa_id: TEXT, user_id: TEXT })),
  });
}

export function ofNumbers({ PhoneNumberInfo: number }: Schemas): void {
  Object.assign(number?.["properties"], {
    status: TEXT,
    platform_type: TEXT,
    throughput: object({ level: TEXT }),
    health_status: object({
      can_send_message: oneOf("AVAILABLE", "LIMITED", "BLOCKED"),
      entities: { type: "array", items: { type: "object", unevaluatedProperties: true } },
    }),
    whatsapp_business_manager_messaging_limit: TEXT,
    messaging_limit_tier: TEXT,
    is_on_biz_app: BOOLEAN,
    is_official_business_account: BOOLEAN,
    webhook_configuration: object({ application: TEXT, whatsapp_business_account: TEXT, phone_number: TEXT }),
  });
}

export function profile(): Schema {
  return object({
    messaging_product: TEXT,
    about: TEXT,
    address: TEXT,
    description: TEXT,
    email: TEXT,
    profile_picture_url: TEXT,
    websites: array(TEXT),
    vertical: TEXT,
  });
}

export function subscribedApp(): Schema {
  return object({ whatsapp_business_api_data: object({ id: TEXT, name: TEXT, link: TEXT }, ["id"]), override_callback_uri: TEXT }, [
    "whatsapp_business_api_data",
  ]);
}
