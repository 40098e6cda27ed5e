import * as z from "zod";
import { WHATSAPP } from "./route.ts";

const text = (max: number) => z.string().min(1).max(max);
const File = z.object({ id: z.string().optional(), link: z.string().optional() });
const Captioned = File.extend({ caption: z.string().max(1_024).optional() });
const Latitude = z.union([z.number(), z.string().transform(Number)]).pipe(z.number().min(-90).max(90));
const Longitude = z.union([z.number(), z.string().transform(Number)]).pipe(z.number().min(-180).max(180));

const Contact = z.looseObject({
  name: z.looseObject({ formatted_name: text(256), first_name: z.string().optional(), last_name: z.string().optional() }),
  phones: z.array(z.looseObject({ phone: z.string().optional(), wa_id: z.string().optional(), type: z.string().optional() })).optional(),
});

const Header = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: text(60) }),
  z.object({ type: z.literal("image"), image: File }),
  z.object({ type: z.literal("video"), video: File }),
  z.object({ type: z.literal("document"), document: File.extend({ filename: z.string().optional() }) }),
]);
const dressed = { header: Header.optional(), body: z.object({ text: text(1_024) }), footer: z.object({ text: text(60) }).optional() };

const List = z.object({
  ...dressed,
  type: z.literal("list"),
  action: z.object({
    button: text(20),
    sections: z
      .array(
        z.object({
          title: z.string().max(24).optional(),
          rows: z.array(z.object({ id: text(200), title: text(24), description: z.string().max(72).optional() })).min(1),
        }),
      )
      .min(1)
      .max(10)
      .refine((sections) => sections.flatMap(({ rows }) => rows).length <= 10, "Total row count exceed max allowed count: 10"),
  }),
});
const Buttons = z.object({
  ...dressed,
  type: z.literal("button"),
  action: z.object({
    buttons: z
      .array(z.object({ type: z.literal("reply"), reply: z.object({ id: text(256), title: text(20) }) }))
      .min(1)
      .max(3),
  }),
});
const Link = z.object({
  ...dressed,
  type: z.literal("cta_url"),
  action: z.object({ name: z.literal("cta_url"), parameters: z.object({ display_text: text(20), url: z.url() }) }),
});
const asking = <T extends string>(type: T, name: string) =>
  z.object({ body: dressed.body, type: z.literal(type), action: z.object({ name: z.literal(name) }) });
const AskLocation = asking("location_request_message", "send_location");
const AskNumber = asking("request_contact_info", "request_contact_info");

const Parameter = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  payload: z.string().optional(),
  parameter_name: z.string().optional(),
  currency: z.looseObject({ fallback_value: z.string() }).optional(),
  date_time: z.looseObject({ fallback_value: z.string() }).optional(),
});
const Template = z.object({
  name: text(512),
  language: z.object({ code: text(16), policy: z.string().optional() }),
  components: z
    .array(
      z.object({
        type: z.string().transform((type) => type.toLowerCase()),
        sub_type: z.string().optional(),
        index: z.union([z.string(), z.number()]).optional(),
        parameters: z.array(Parameter).optional(),
      }),
    )
    .optional(),
});

const base = {
  ...WHATSAPP,
  recipient_type: z.enum(["individual", "group"]).default("individual"),
  to: z.string().min(1).optional(),
  recipient: z.string().min(1).optional(),
  context: z.object({ message_id: z.string().min(1) }).optional(),
  biz_opaque_callback_data: z.string().max(512).optional(),
};

const Sent = z.discriminatedUnion("type", [
  z.object({ ...base, type: z.literal("text"), text: z.object({ body: text(4_096), preview_url: z.boolean().optional() }) }),
  z.object({ ...base, type: z.literal("image"), image: Captioned }),
  z.object({ ...base, type: z.literal("video"), video: Captioned }),
  z.object({ ...base, type: z.literal("audio"), audio: File.extend({ voice: z.boolean().optional() }) }),
  z.object({ ...base, type: z.literal("document"), document: Captioned.extend({ filename: z.string().max(240).optional() }) }),
  z.object({ ...base, type: z.literal("sticker"), sticker: File }),
  z.object({
    ...base,
    type: z.literal("location"),
    location: z.object({ latitude: Latitude, longitude: Longitude, name: z.string().optional(), address: z.string().optional() }),
  }),
  z.object({ ...base, type: z.literal("contacts"), contacts: z.array(Contact).min(1).max(257) }),
  z.object({
    ...base,
    type: z.literal("reaction"),
    reaction: z.object({ message_id: z.string().min(1), emoji: z.string().max(32).default("") }),
  }),
  z.object({
    ...base,
    type: z.literal("interactive"),
    interactive: z.discriminatedUnion("type", [List, Buttons, Link, AskLocation, AskNumber]),
  }),
  z.object({ ...base, type: z.literal("template"), template: Template }),
]);

const Read = z.object({
  ...WHATSAPP,
  status: z.literal("read"),
  message_id: z.string().min(1),
  typing_indicator: z.object({ type: z.literal("text") }).optional(),
});

/** A missing `type` means text. In form bodies, lists and objects are JSON strings. */
export const MessageBody = z.preprocess(
  (body) => {
    if (typeof body !== "object" || body === null) return body;
    const read = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, jsonIn(value)]));
    return "status" in read || "type" in read ? read : { ...read, type: "text" };
  },
  z.union([Read, Sent]),
);

function jsonIn(value: unknown): unknown {
  if (typeof value !== "string" || !/^[{[]/.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

export type ReadBody = z.output<typeof Read>;
export type SentBody = z.output<typeof Sent>;
export type InteractiveBody = Extract<SentBody, { type: "interactive" }>["interactive"];
export type TemplateParameter = z.output<typeof Parameter>;
export type FileBody = z.output<typeof File>;
export type TemplateBody = z.output<typeof Template>;
