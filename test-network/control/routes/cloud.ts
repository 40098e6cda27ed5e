// Routes for cloud numbers: credentials, faults, and logs of requests and webhooks.
import * as z from "zod";
import { Phone } from "@gateway/protocol/ids.ts";
import { RequestLog } from "../../cloud/graph/access.ts";
import { appSecret, digits } from "../../cloud/ids.ts";
import { reportSystem } from "../../cloud/phone/inbound.ts";
import { type CloudNetwork, FIELDS } from "../../cloud/cloud-network.ts";
import { type CloudNumber, type Token, CLOUD_FAULT_KINDS } from "../../cloud/model.ts";
import { templateKey } from "../../cloud/templates.ts";
import { refused } from "../../phone/refusal.ts";
import { list, NOTHING, ok, route, type Call, type Reply, type Route } from "../route.ts";

const Digits = z.string().regex(/^\d{5,20}$/);
const Name = z.string().min(1).max(100);

const NewNumberBody = z.object({
  phone: Phone,
  name: Name,
  waba_id: Digits.optional(),
  pin: z
    .string()
    .regex(/^\d{6}$/)
    .optional(),
  registered: z.boolean().optional(),
});

const NumberBody = z.object({
  name: Name.optional(),
  quality: z.enum(["GREEN", "YELLOW", "RED", "UNKNOWN"]).optional(),
  health: z.enum(["AVAILABLE", "LIMITED", "BLOCKED"]).optional(),
  registered: z.boolean().optional(),
  pin: z
    .string()
    .regex(/^\d{6}$/)
    .nullable()
    .optional(),
  username_only: z.array(Phone).max(1_000).optional(),
  /** Maps requested numbers to their spelling on the network. Null removes an entry. */
  spelling: z.record(Phone, Phone.nullable()).optional(),
  coexistence: z.boolean().optional(),
  groups: z.boolean().optional(),
  fields: z.array(z.enum(FIELDS)).optional(),
});

const TokenBody = z.object({ expires_in_s: z.number().int().min(1).nullable().default(null) });

const TemplateBody = z.object({
  waba_id: Digits,
  name: z.string().regex(/^[a-z0-9_]{1,512}$/),
  language: z.string().min(2).max(16),
  body: z.string().min(1).max(1_024),
  status: z.enum(["APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED"]).default("APPROVED"),
  category: z.enum(["UTILITY", "MARKETING", "AUTHENTICATION"]).default("UTILITY"),
  buttons: z.array(z.string().min(1).max(25)).max(10).default([]),
});

const ClockBody = z.object({ offset_s: z.number().int() });

const CloudFaultBody = z.object({
  phone_number_id: Digits,
  kind: z.enum(CLOUD_FAULT_KINDS),
  times: z.number().int().min(1).max(10_000).optional(),
  code: z.number().int().min(0).optional(),
  subcode: z.number().int().min(0).optional(),
  http: z.number().int().min(200).max(599).optional(),
  ms: z.number().int().min(0).max(600_000).optional(),
  match: z.string().max(256).optional(),
  copies: z.number().int().min(1).max(100).optional(),
});

const WebhookBody = z
  .object({
    phone_number_id: Digits,
    field: z.string().max(64).default("messages"),
    value: z.record(z.string(), z.unknown()).optional(),
    raw: z.string().max(8_000_000).optional(),
    sign: z.enum(["right", "wrong", "none", "escaped"]).default("right"),
  })
  .refine(({ value, raw }) => (value === undefined) !== (raw === undefined), "exactly one of value and raw");

const SystemBody = z.object({
  phone_number_id: Digits,
  phone: Phone,
  type: z.enum(["user_changed_number", "user_changed_user_id", "customer_identity_changed"]),
  new_phone: Phone.optional(),
});

const DEFAULT_LIMIT = 1_000;
const MAX_LIMIT = 20_000;

export const cloudRoutes: readonly Route[] = [
  route("POST", "/cloud/numbers", NewNumberBody, async ({ phones, cloud, body }) => {
    if (body.waba_id !== undefined && !cloud.waba(body.waba_id)) return refused(404, "unknown_waba", "there is no such business account");
    await phones.create(body.phone, { name: body.name, business: true });
    return ok(credentialsOf(cloud, cloud.create(body)), 201);
  }),
  route("GET", "/cloud/numbers", NOTHING, ({ cloud }) => list(cloud.documents.list("number").map((number) => viewOf(cloud, number)))),
  ofNumber("GET", "", NOTHING, (number, { cloud }) => ok({ data: viewOf(cloud, number) })),
  ofNumber("PATCH", "", NumberBody, (number, { cloud, body }) => {
    const { fields, spelling, ...changes } = body;
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    const spellings = Object.entries({ ...number.spelling, ...spelling }).filter(([, spelled]) => spelled !== null);
    const now: CloudNumber = { ...number, ...given, spelling: Object.fromEntries(spellings) as Record<string, string> };
    cloud.save(now);
    const app = cloud.app(number.app_id);
    if (fields !== undefined && app) cloud.documents.put("app", app.app_id, { ...app, fields });
    if (now.quality !== number.quality) reportQuality(cloud, now);
    return ok({ data: viewOf(cloud, now) });
  }),
  ofNumber("POST", "/tokens", TokenBody, (number, { cloud, body }) => ok(viewOfToken(cloud.createToken(number, body.expires_in_s)), 201)),
  ofNumber("DELETE", "/tokens/:last4", NOTHING, (number, { cloud, params }) => {
    const meant = tokensOf(cloud, number).filter(({ token }) => token.endsWith(params["last4"] ?? "-"));
    for (const { token } of meant) cloud.documents.remove("token", token);
    return meant.length > 0 ? ok({ ok: true, deleted: meant.length }) : refused(404, "unknown_token", "there is no token that ends so");
  }),
  ofNumber("POST", "/secret", NOTHING, ({ app_id }, { cloud }) => {
    const app = cloud.app(app_id);
    if (!app) return unknownNumber();
    cloud.documents.put("app", app_id, { ...app, app_secret: appSecret() });
    return ok({ app_secret: cloud.app(app_id)?.app_secret });
  }),
  route("POST", "/cloud/system", SystemBody, ({ cloud, body }) => {
    const number = cloud.number(body.phone_number_id);
    if (!number) return unknownNumber();
    if ((body.type === "user_changed_number") !== (body.new_phone !== undefined)) {
      return refused(400, "bad_body", "new_phone belongs to user_changed_number");
    }
    reportSystem(cloud, number, body);
    return ok({ ok: true });
  }),
  route("POST", "/cloud/templates", TemplateBody, ({ cloud, body }) => {
    if (!cloud.waba(body.waba_id)) return refused(404, "unknown_waba", "there is no such business account");
    const known = cloud.documents.get("template", templateKey(body));
    const template = { ...body, template_id: known?.template_id ?? digits(16) };
    cloud.documents.put("template", templateKey(body), template);
    if (known && known.status !== body.status) reportTemplate(cloud, template);
    return ok({ template_id: template.template_id }, 201);
  }),
  route("POST", "/cloud/clock", ClockBody, ({ cloud, body }) => {
    cloud.documents.put("clock", "clock", body);
    return ok({ ok: true, now: cloud.now() });
  }),
  route("GET", "/cloud/faults", NOTHING, ({ cloud }) => list(cloud.faults.list())),
  route("POST", "/cloud/faults", CloudFaultBody, ({ cloud, body }) => {
    if (!cloud.number(body.phone_number_id)) return unknownNumber();
    cloud.faults.add(body);
    cloud.wake();
    return ok({ ok: true });
  }),
  route("DELETE", "/cloud/faults", NOTHING, ({ cloud, query }) => {
    cloud.faults.clear(query.get("phone_number_id") ?? undefined);
    cloud.wake();
    return ok({ ok: true });
  }),
  route("GET", "/cloud/webhooks", NOTHING, ({ cloud, query }) => {
    const limit = limitOf(query);
    return typeof limit === "number" ? list(cloud.queue.list(limit, query.get("phone_number_id"))) : limit;
  }),
  route("POST", "/cloud/webhooks", WebhookBody, ({ cloud, body: { phone_number_id, field, value, raw, sign } }) => {
    const number = cloud.number(phone_number_id);
    if (!number) return unknownNumber();
    const id = cloud.push(number, raw === undefined ? { change: { field, value: value ?? {} } } : { raw }, sign);
    return ok({ id: String(id) }, 201);
  }),
  route("POST", "/cloud/webhooks/:webhook/resend", NOTHING, ({ cloud, params }) => {
    if (!cloud.queue.resend(Number(params["webhook"]))) return refused(404, "unknown_webhook", "there is no such webhook");
    cloud.wake();
    return ok({ ok: true });
  }),
  route("GET", "/cloud/requests", NOTHING, ({ cloud, query }) => {
    const limit = limitOf(query);
    return typeof limit === "number" ? list(new RequestLog(cloud.documents.db).list(limit, query.get("phone_number_id"))) : limit;
  }),
];

function ofNumber<S extends z.ZodType>(
  method: Route["method"],
  path: string,
  body: S,
  run: (number: CloudNumber, call: Call<z.output<S>>) => Reply | Promise<Reply>,
): Route {
  return route(method, `/cloud/numbers/:number${path}`, body, (call) => {
    const id = call.params["number"] ?? "";
    const number = call.cloud.number(id) ?? call.cloud.numberOf(id);
    return number ? run(number, call) : unknownNumber();
  });
}

function unknownNumber() {
  return refused(404, "unknown_number", "there is no such number on the cloud network");
}

function limitOf(query: URLSearchParams): number | Reply {
  const limit = Number(query.get("limit") ?? DEFAULT_LIMIT);
  if (Number.isInteger(limit) && limit > 0 && limit <= MAX_LIMIT) return limit;
  return refused(400, "bad_limit", `limit is how many of the newest, from 1 to ${MAX_LIMIT}`);
}

/** Returns the values that a customer copies from Meta's pages. Reuses the oldest token. */
function credentialsOf(cloud: CloudNetwork, number: CloudNumber) {
  const { phone_number_id, waba_id, app_id } = number;
  const [token = cloud.createToken(number, null)] = tokensOf(cloud, number);
  return { phone_number_id, waba_id, app_id, access_token: token.token, app_secret: cloud.app(app_id)?.app_secret };
}

function viewOf(cloud: CloudNetwork, number: CloudNumber) {
  const { fields = [], app_secret } = cloud.app(number.app_id) ?? {};
  const subscribed = cloud.waba(number.waba_id)?.subscribed.some(({ app_id }) => app_id === number.app_id) ?? false;
  return { ...number, app_secret, fields, subscribed, tokens: tokensOf(cloud, number).map(viewOfToken) };
}

function viewOfToken({ token, created_at, expires_at }: Token) {
  return { access_token: token, last4: token.slice(-4), created_at, expires_at };
}

function tokensOf(cloud: CloudNetwork, { waba_id }: CloudNumber): Token[] {
  return cloud.documents.list("token").filter((token) => token.waba_id === waba_id);
}

const QUALITY_EVENTS = { GREEN: "UNFLAGGED", YELLOW: "FLAGGED", RED: "FLAGGED", UNKNOWN: "UNFLAGGED" } as const;

function reportQuality(cloud: CloudNetwork, number: CloudNumber): void {
  const value = { display_phone_number: number.phone, event: QUALITY_EVENTS[number.quality], current_limit: "TIER_1K" };
  cloud.reportValue(number, `quality:${digits(12)}`, "phone_number_quality_update", value);
}

function reportTemplate(
  cloud: CloudNetwork,
  template: { waba_id: string; template_id: string; name: string; language: string; status: string },
): void {
  const number = cloud.documents.list("number").find(({ waba_id }) => waba_id === template.waba_id);
  if (!number) return;
  cloud.reportValue(number, `template:${digits(12)}`, "message_template_status_update", {
    event: template.status,
    message_template_id: Number(template.template_id),
    message_template_name: template.name,
    message_template_language: template.language,
    reason: "NONE",
  });
}
