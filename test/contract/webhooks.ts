// One webhook of every kind in Meta's file or its guides, in Meta's format.
const ME = "5511900000001";
const ANA = "5511987654321";
const BSUID = "BR.13491208655302741918";
const GROUP = "Y2FwaV9ncm91cDo1NTExOTAwMDAwMDAxOjEyMDM2MzAyNTkzNjExMTUxMjcZD";
const TIME = "1768478395";
const FILE = { id: "1003383421387256", mime_type: "image/jpeg", sha256: "SfInY0gGKTsJlUWbwxC1k+FAD0FZHvzwfpvO0zX0GUI=" };
const METADATA = { display_phone_number: ME, phone_number_id: "106540352242922" };
const CONTACTS = [{ profile: { name: "Ana", username: "ana" }, wa_id: ANA, user_id: BSUID }];

type Fields = Record<string, unknown>;

export const webhookOf = (field: string, value: Fields) => ({
  object: "whatsapp_business_account",
  entry: [{ id: "419561257915477", changes: [{ field, value: { messaging_product: "whatsapp", metadata: METADATA, ...value } }] }],
});
const message = (fields: Fields) =>
  webhookOf("messages", { contacts: CONTACTS, messages: [{ from: ANA, from_user_id: BSUID, id: "wamid.in", timestamp: TIME, ...fields }] });
const status = (fields: Fields) =>
  webhookOf("messages", {
    statuses: [
      { id: "wamid.out", timestamp: TIME, recipient_id: ANA, recipient_user_id: BSUID, biz_opaque_callback_data: "m1.3EB0", ...fields },
    ],
  });
const group = (field: string, fields: Fields) => webhookOf(field, { groups: [{ timestamp: TIME, group_id: GROUP, ...fields }] });
const call = (fields: Fields) =>
  webhookOf("calls", {
    contacts: CONTACTS,
    calls: [{ id: "wacid.1", from: ANA, to: ME, direction: "USER_INITIATED", timestamp: TIME, ...fields }],
  });
const ERROR = {
  code: 131_026,
  title: "Message undeliverable",
  message: "Message undeliverable",
  error_data: { details: "…" },
  href: "https://example.com/",
};

export const WEBHOOKS: Readonly<Record<string, ReturnType<typeof webhookOf>>> = {
  text: message({ type: "text", text: { body: "Olá" } }),
  "quoted text": message({ type: "text", text: { body: "Olá" }, context: { from: ME, id: "wamid.out" } }),
  "forwarded text": message({ type: "text", text: { body: "Olá" }, context: { forwarded: true } }),
  "text of a group": message({ type: "text", text: { body: "Olá" }, group_id: GROUP }),
  "text of somebody without a phone": webhookOf("messages", {
    contacts: [{ profile: { name: "Ana", username: "ana" }, user_id: BSUID }],
    messages: [{ from_user_id: BSUID, id: "wamid.in", timestamp: TIME, type: "text", text: { body: "Olá" } }],
  }),
  image: message({ type: "image", image: { ...FILE, caption: "Um ponto" } }),
  "image that could not be taken over": message({ type: "image", errors: [ERROR] }),
  video: message({ type: "video", video: { ...FILE, mime_type: "video/mp4" } }),
  audio: message({ type: "audio", audio: { ...FILE, mime_type: "audio/mpeg", voice: false } }),
  voice: message({ type: "audio", audio: { ...FILE, mime_type: "audio/ogg; codecs=opus", voice: true } }),
  document: message({ type: "document", document: { ...FILE, mime_type: "application/pdf", filename: "a.pdf", caption: "Leia" } }),
  sticker: message({ type: "sticker", sticker: { ...FILE, mime_type: "image/webp", animated: false } }),
  location: message({ type: "location", location: { latitude: -23.5, longitude: -46.6, name: "MASP", address: "Av. Paulista" } }),
  contacts: message({
    type: "contacts",
    contacts: [{ name: { formatted_name: "Bia" }, phones: [{ phone: "+55 11 98888-7777", wa_id: "5511988887777" }] }],
  }),
  "choice of a list": message({
    type: "interactive",
    context: { from: ME, id: "wamid.out" },
    interactive: { type: "list_reply", list_reply: { id: "ter", title: "Terça" } },
  }),
  "choice of a button": message({
    type: "interactive",
    context: { from: ME, id: "wamid.out" },
    interactive: { type: "button_reply", button_reply: { id: "sim", title: "Sim" } },
  }),
  "answer of a flow": message({
    type: "interactive",
    interactive: { type: "nfm_reply", nfm_reply: { name: "flow", body: "Sent", response_json: "{}" } },
  }),
  "button of a template": message({ type: "button", button: { payload: "STOP", text: "Parar" } }),
  reaction: message({ type: "reaction", reaction: { message_id: "wamid.out", emoji: "👍" } }),
  "reaction taken back": message({ type: "reaction", reaction: { message_id: "wamid.out" } }),
  unsupported: message({ type: "unsupported", errors: [{ ...ERROR, code: 131_051 }], unsupported: { type: "poll" } }),
  edit: message({ type: "edit", edit: { original_message_id: "wamid.in0", message: { type: "text", text: { body: "Oi" } } } }),
  revoke: message({ type: "revoke", revoke: { original_message_id: "wamid.in0" } }),
  "changed number": webhookOf("messages", {
    messages: [
      {
        from: ANA,
        id: "wamid.sys",
        timestamp: TIME,
        type: "system",
        system: { type: "user_changed_number", body: "…", wa_id: "5511911112222" },
      },
    ],
  }),
  sent: status({ status: "sent", pricing: { billable: true, pricing_model: "PMP", category: "service", type: "regular" } }),
  delivered: status({ status: "delivered", conversation: { id: "c1", origin: { type: "service" } } }),
  read: status({ status: "read" }),
  played: status({ status: "played" }),
  failed: status({ status: "failed", errors: [ERROR] }),
  "delivered in a group": status({
    status: "delivered",
    recipient_id: GROUP,
    recipient_type: "group",
    group_id: GROUP,
    recipient_participant_id: ANA,
  }),
  echo: webhookOf("smb_message_echoes", {
    message_echoes: [{ from: ME, to: ANA, id: "wamid.e", timestamp: TIME, type: "text", text: { body: "Já vai" } }],
  }),
  "call that rings": call({ event: "connect", session: { sdp_type: "offer", sdp: "v=0" } }),
  "call that ends": call({ event: "terminate", status: "COMPLETED", duration: 4 }),
  "group that was made": group("group_lifecycle_update", {
    type: "group_create",
    request_id: "r1",
    subject: "Festa",
    invite_link: "https://chat.whatsapp.com/x",
    join_approval_mode: "auto_approve",
  }),
  "group that was deleted": group("group_lifecycle_update", { type: "group_delete", request_id: "r2" }),
  "somebody who joined": group("group_participants_update", {
    type: "group_participants_add",
    reason: "invite_link",
    added_participants: [{ wa_id: ANA, user_id: BSUID }],
  }),
  "somebody who was removed": group("group_participants_update", {
    type: "group_participants_remove",
    request_id: "r3",
    initiated_by: "business",
    removed_participants: [{ input: ANA, wa_id: ANA }],
  }),
  "changed subject": group("group_settings_update", {
    type: "group_settings_update",
    request_id: "r4",
    group_subject: { text: "Festa!", update_successful: true },
  }),
};
