// Schemas of Graph responses and webhooks. A field is required only if an event would be wrong without it.
import * as z from "zod";

/** Meta writes ids and numbers as strings or as numbers, depending on the documentation page. */
const text = z.union([z.string(), z.number()]).transform(String);
const maybe = text.nullish().transform((value) => (value === null || value === undefined || value === "" ? null : value));
const phone = maybe.transform((value) => value?.replaceAll(/\D/g, "") || null);
const list = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);
/** Parsed one by one later, so that an unreadable item does not hide the others. */
const unread = list(z.unknown());
const readable = <T extends z.ZodType>(item: T) =>
  unread.transform((items) =>
    items.flatMap((one) => {
      const { success, data } = item.safeParse(one);
      return success ? [data] : [];
    }),
  );
/** Rejects values that JavaScript would coerce to a number, such as null. */
const code = z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)]).pipe(z.number().int());

/** Looks up a table row by an external name. `hasOwn` keeps `constructor` from matching. */
export function rowNamed<Row>(table: Readonly<Record<string, Row>>, name: string): Row | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Excludes Graph's texts, which may quote people. `traceId`: for Meta's support. */
export type GraphError = { code: number; subcode: number | null; type: string | null; traceId: string | null };

/** Identifiers that Graph itself generated. Longer values or other characters may quote a customer. */
const word = z
  .string()
  .regex(/^[\w-]{1,64}$/)
  .nullish()
  .catch(null);

const GraphError = z
  .looseObject({
    code,
    error_subcode: code.nullish().catch(null),
    type: word,
    fbtrace_id: word,
  })
  .transform(({ code, error_subcode, type, fbtrace_id }): GraphError => ({
    code,
    subcode: error_subcode ?? null,
    type: type ?? null,
    traceId: fbtrace_id ?? null,
  }));

export const ErrorAnswer = z.looseObject({ error: GraphError });

export const SendAnswer = z.looseObject({
  contacts: readable(z.looseObject({ wa_id: phone, user_id: maybe })).catch([]),
  messages: z.array(z.looseObject({ id: z.string().min(1) })).min(1),
});

const File = z.looseObject({ id: text, mime_type: maybe, sha256: maybe, filename: maybe, caption: maybe, voice: z.boolean().nullish() });
export type GraphFile = z.infer<typeof File>;

const Coordinate = z.union([z.number(), z.string().regex(/^-?\d+(\.\d+)?$/)]).transform(Number);

export const GraphContact = z.looseObject({
  name: z.looseObject({ formatted_name: maybe, first_name: maybe, last_name: maybe }).nullish(),
  phones: list(z.looseObject({ phone: maybe, wa_id: phone })),
  emails: list(z.looseObject({ email: maybe })),
  org: z.looseObject({ company: maybe }).nullish(),
});
export type GraphContact = z.infer<typeof GraphContact>;

const content = {
  type: z.string().min(1),
  text: z.looseObject({ body: z.string() }).nullish(),
  image: File.nullish(),
  video: File.nullish(),
  audio: File.nullish(),
  document: File.nullish(),
  sticker: File.nullish(),
  location: z.looseObject({ latitude: Coordinate, longitude: Coordinate, name: maybe, address: maybe }).nullish(),
  contacts: z.array(GraphContact).nullish(),
  interactive: z
    .looseObject({
      type: z.string(),
      body: z.looseObject({ text: z.string() }).nullish(),
      list_reply: z.looseObject({ id: text, title: z.string() }).nullish(),
      button_reply: z.looseObject({ id: text, title: z.string() }).nullish(),
    })
    .nullish(),
  button: z.looseObject({ payload: maybe, text: maybe }).nullish(),
  unsupported: z.looseObject({ type: maybe }).nullish(),
};
export const GraphContent = z.looseObject(content);
export type GraphContent = z.infer<typeof GraphContent>;

export const GraphMessage = z.looseObject({
  ...content,
  id: z.string().min(1).max(256),
  from: phone,
  from_user_id: maybe,
  to: phone,
  to_user_id: maybe,
  group_id: maybe,
  timestamp: z.unknown(),
  context: z
    .looseObject({
      id: maybe,
      from: phone,
      from_user_id: maybe,
      forwarded: z.boolean().nullish(),
      frequently_forwarded: z.boolean().nullish(),
    })
    .nullish(),
  errors: readable(GraphError),
  reaction: z.looseObject({ message_id: text, emoji: maybe }).nullish(),
  system: z.looseObject({ type: maybe, wa_id: phone, user_id: maybe }).nullish(),
  edit: z.looseObject({ original_message_id: text, message: GraphContent }).nullish(),
  revoke: z.looseObject({ original_message_id: text }).nullish(),
});
export type GraphMessage = z.infer<typeof GraphMessage>;

export const GraphProfile = z.looseObject({
  profile: z.looseObject({ name: maybe, username: maybe }).nullish(),
  wa_id: phone,
  user_id: maybe,
});
export type GraphProfile = z.infer<typeof GraphProfile>;

export const GraphStatus = z.looseObject({
  id: text,
  status: z.string(),
  timestamp: z.unknown(),
  recipient_id: maybe,
  recipient_user_id: maybe,
  recipient_type: maybe,
  recipient_participant_id: phone,
  recipient_participant_user_id: maybe,
  group_id: maybe,
  biz_opaque_callback_data: maybe,
  errors: readable(GraphError),
});

export const GraphCall = z.looseObject({
  id: z.string().min(1).max(256),
  from: phone,
  from_user_id: maybe,
  event: z.string(),
  direction: maybe,
  timestamp: z.unknown(),
});

const named = maybe.transform((value) => (value !== null && /^\+?\d+$/.test(value) ? value.replace("+", "") : null));
const Participant = z.looseObject({ input: named, wa_id: phone, user_id: maybe });
export type GraphParticipant = z.infer<typeof Participant>;
const FailedParticipant = z.looseObject({ input: maybe, errors: readable(GraphError) });

/** In Meta's OpenAPI file, this object contains the setting itself; in the guides, the outcome of the change. */
const Setting = z.looseObject({ text: maybe, update_successful: z.boolean().nullish(), errors: readable(GraphError) });

export const GraphGroup = z.looseObject({
  group_id: text.nullish(),
  type: z.string(),
  request_id: maybe,
  timestamp: z.unknown(),
  subject: maybe,
  description: maybe,
  join_approval_mode: maybe,
  reason: maybe,
  initiated_by: maybe,
  added_participants: list(Participant),
  removed_participants: list(Participant),
  failed_participants: list(FailedParticipant),
  group_subject: Setting.nullish(),
  group_description: Setting.nullish(),
  profile_picture: Setting.nullish(),
  errors: readable(GraphError),
});
export type GraphGroup = z.infer<typeof GraphGroup>;

export const ChangeValue = z.looseObject({
  metadata: z.looseObject({ phone_number_id: maybe }).nullish(),
  contacts: readable(GraphProfile),
  messages: unread,
  statuses: unread,
  errors: readable(GraphError),
  calls: unread,
  groups: unread,
  message_echoes: unread,
});
export type ChangeValue = z.infer<typeof ChangeValue>;

const DAY_SECONDS = 86_400;

/** Falls back to the time of receipt when the value is not a valid time or is far in the future. `now` in Unix ms. */
export function secondsOf(value: unknown, now: number): number {
  const received = Math.floor(now / 1000);
  const seconds =
    typeof value === "number" ? Math.floor(value) : typeof value === "string" && /^\d{1,12}$/.test(value) ? Number(value) : NaN;
  return Number.isSafeInteger(seconds) && seconds > 0 && seconds <= received + DAY_SECONDS ? seconds : received;
}
