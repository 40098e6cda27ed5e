import { createHash } from "node:crypto";
import * as z from "zod";
import { shakeHands } from "../webhooks/sender.ts";
import type { CloudNetwork } from "../cloud-network.ts";
import type { App, Callback, CloudNumber, Waba } from "../model.ts";
import { graphError, type GraphReply } from "./errors.ts";
import { json, NOTHING, on, SUCCESS, WHATSAPP, type Edge } from "./route.ts";

const MAX_CALLBACK = 200;

const Configuration = z.object({
  webhook_configuration: z.object({ override_callback_uri: z.string(), verify_token: z.string().default("") }).optional(),
});
const Register = z.object({ ...WHATSAPP, pin: z.string().regex(/^\d{6}$/) });
const Subscribe = z.object({ override_callback_uri: z.string().optional(), verify_token: z.string().default("") });

export const numberEdges: readonly Edge[] = [
  on("number", "GET", "", NOTHING, ({ number }, { cloud, query }) => json(fieldsOf(cloud, number, query.get("fields")))),
  on("number", "POST", "", Configuration, async ({ number }, { cloud, body: { webhook_configuration: asked } }) => {
    if (!asked) return json(SUCCESS);
    const set = await callbackOf(cloud, number.phone_number_id, asked.override_callback_uri, asked.verify_token);
    if (!set.ok) return set.reply;
    cloud.save({ ...(cloud.number(number.phone_number_id) ?? number), callback: set.callback });
    return json(SUCCESS);
  }),
  on("number", "POST", "register", Register, ({ number }, { cloud, body: { pin } }) => {
    if (number.pin !== null && number.pin !== pin) return graphError(133_005, { details: "The two step verification PIN is wrong." });
    cloud.save({ ...number, registered: true, pin });
    return json(SUCCESS);
  }),
  on("number", "POST", "deregister", NOTHING, ({ number }, { cloud }) => {
    cloud.save({ ...number, registered: false });
    return json(SUCCESS);
  }),
  on("waba", "GET", "", NOTHING, ({ waba: { waba_id: id, name } }) => json({ id, name })),
  on("waba", "GET", "phone_numbers", NOTHING, ({ waba }, { cloud }) => {
    const numbers = cloud.documents.list("number").filter(({ waba_id }) => waba_id === waba.waba_id);
    return json({ data: numbers.map((number) => fieldsOf(cloud, number, "display_phone_number,verified_name,quality_rating")) });
  }),
  on("waba", "GET", "message_templates", NOTHING, ({ waba }, { cloud, query }) => {
    const name = query.get("name");
    const own = cloud.documents.list("template").filter((one) => one.waba_id === waba.waba_id && (name === null || one.name === name));
    const shown = own.map(({ name: called, language, status, category, body }) => {
      return {
        id: idOfTemplate(waba.waba_id, called, language),
        name: called,
        language,
        status,
        category,
        components: [{ type: "BODY", text: body }],
      };
    });
    return json({ data: shown, paging: {} });
  }),
  on("waba", "GET", "subscribed_apps", NOTHING, ({ waba }, { cloud }) =>
    json({ data: waba.subscribed.flatMap((one) => subscribedApp(cloud, one)) }),
  ),
  on("waba", "POST", "subscribed_apps", Subscribe, async ({ waba }, { cloud, body, app }) => {
    let override: Callback | null = null;
    if (body.override_callback_uri) {
      const set = await callbackOf(cloud, waba.waba_id, body.override_callback_uri, body.verify_token);
      if (!set.ok) return set.reply;
      override = set.callback;
    }
    subscribe(cloud, waba, app, override);
    return json(SUCCESS);
  }),
  on("waba", "DELETE", "subscribed_apps", NOTHING, ({ waba }, { cloud, app }) => {
    const subscribed = waba.subscribed.filter(({ app_id }) => app_id !== app.app_id);
    cloud.documents.put("waba", waba.waba_id, { ...waba, subscribed });
    return json(SUCCESS);
  }),
];

/** Returns the requested callback once its handshake has succeeded, or null for an empty URL. */
export async function callbackOf(
  cloud: CloudNetwork,
  owner: string,
  url: string,
  verify_token: string,
): Promise<{ ok: true; callback: Callback | null } | { ok: false; reply: GraphReply }> {
  if (url === "") return { ok: true, callback: null };
  if (url.length > MAX_CALLBACK) {
    const details = `Param override_callback_uri must be at most ${MAX_CALLBACK} characters long.`;
    return { ok: false, reply: graphError(100, { details }) };
  }
  const { problem, attempt } = await shakeHands(url, verify_token);
  cloud.queue.attempted(cloud.queue.insert(owner, "number", "", "handshake", "done"), attempt, "done");
  if (problem === null) return { ok: true, callback: { url, verify_token } };
  const message = `(#2200) Callback verification failed with the following errors: ${problem}`;
  return { ok: false, reply: graphError(2_200, { message }) };
}

function subscribe(cloud: CloudNetwork, waba: Waba, { app_id }: App, override: Callback | null): void {
  const others = (cloud.waba(waba.waba_id) ?? waba).subscribed.filter((one) => one.app_id !== app_id);
  cloud.documents.put("waba", waba.waba_id, { ...waba, subscribed: [...others, { app_id, override }] });
}

function subscribedApp(cloud: CloudNetwork, { app_id, override }: Waba["subscribed"][number]): object[] {
  const app = cloud.app(app_id);
  if (!app) return [];
  const link = `https://www.facebook.com/games/?app_id=${app_id}`;
  return [{ whatsapp_business_api_data: { id: app_id, name: app.name, link }, ...(override && { override_callback_uri: override.url }) }];
}

const DEFAULT_FIELDS =
  "verified_name,display_phone_number,quality_rating,code_verification_status,platform_type,throughput,webhook_configuration";

function fieldsOf(cloud: CloudNetwork, number: CloudNumber, asked: string | null): Record<string, unknown> {
  const all: Record<string, unknown> = {
    display_phone_number: display(number.phone),
    verified_name: number.name,
    quality_rating: number.quality,
    code_verification_status: "VERIFIED",
    name_status: "APPROVED",
    status: number.registered ? "CONNECTED" : "PENDING",
    platform_type: number.registered ? "CLOUD_API" : "NOT_APPLICABLE",
    throughput: { level: "STANDARD" },
    health_status: {
      can_send_message: number.health,
      entities: [{ entity_type: "PHONE_NUMBER", id: number.phone_number_id, can_send_message: number.health }],
    },
    whatsapp_business_manager_messaging_limit: "TIER_1K",
    messaging_limit_tier: "TIER_1K",
    is_on_biz_app: number.coexistence,
    is_official_business_account: number.groups,
    webhook_configuration: callbacksOf(cloud, number),
  };
  const names = (asked ?? DEFAULT_FIELDS).split(",").map((name) => name.trim());
  return { ...Object.fromEntries(names.flatMap((name) => (name in all ? [[name, all[name]]] : []))), id: number.phone_number_id };
}

function callbacksOf(cloud: CloudNetwork, { waba_id, app_id, callback }: CloudNumber): Record<string, string> {
  const ofWaba = cloud.waba(waba_id)?.subscribed.find((one) => one.app_id === app_id)?.override;
  const ofApp = cloud.app(app_id)?.callback;
  return {
    ...(callback && { phone_number: callback.url }),
    ...(ofWaba && { whatsapp_business_account: ofWaba.url }),
    ...(ofApp && { application: ofApp.url }),
  };
}

/** Formats Brazilian numbers as people write them, `+55 11 99999-0000`, and all others in groups of three. */
function display(phone: string): string {
  const [, country, area, rest] = /^(55)(\d{2})(\d+)$/.exec(phone) ?? [];
  if (country && area && rest) return `+${country} ${area} ${rest.slice(0, -4)}-${rest.slice(-4)}`;
  return `+${phone.replace(/(\d{3})(?=\d{3})/g, "$1 ")}`;
}

function idOfTemplate(...parts: string[]): string {
  return createHash("sha256").update(parts.join("|")).digest().readBigUInt64BE().toString().padStart(16, "1").slice(0, 16);
}
