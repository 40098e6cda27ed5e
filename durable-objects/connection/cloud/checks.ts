// Steps to connect a Cloud API number: each sends a request to Graph and interprets the response.
import * as z from "zod";
import { log } from "#root/src/log.ts";
import type { Graph, GraphCall, GraphError } from "./graph.ts";
import type { StoredCredentials } from "./credentials.ts";

export type CheckStep = "number" | "register" | "subscribe" | "fields" | "callback";

/** `access` is true if the token lost access to the number. `unanswered` means that the result is unknown. */
export type Checked<T> = { kind: "passed"; value: T } | Refused | Unanswered;
export type Refused = { kind: "refused"; step: CheckStep; code: number | null; access: boolean };
export type Unanswered = { kind: "unanswered"; step: CheckStep };

export type CloudNumber = {
  phone: string;
  verifiedName: string | null;
  quality: "GREEN" | "YELLOW" | "RED" | null;
  blocked: boolean;
  /** The webhook URL, if one is set for the number itself. */
  callback: string | null;
};

const NUMBER_FIELDS =
  "display_phone_number,verified_name,quality_rating,status,throughput,health_status,is_on_biz_app,webhook_configuration";

const NumberResponse = z
  .looseObject({
    display_phone_number: z.string().regex(/\d{5}/),
    verified_name: z.string().nullish(),
    quality_rating: z.enum(["GREEN", "YELLOW", "RED"]).nullish().catch(null),
    health_status: z.looseObject({ can_send_message: z.string().nullish() }).nullish().catch(null),
    webhook_configuration: z.looseObject({ phone_number: z.string().nullish() }).nullish().catch(null),
  })
  .transform((response): CloudNumber => ({
    phone: response.display_phone_number.replaceAll(/\D/g, ""),
    verifiedName: response.verified_name ?? null,
    quality: response.quality_rating ?? null,
    blocked: response.health_status?.can_send_message === "BLOCKED",
    callback: response.webhook_configuration?.phone_number || null,
  }));

const Success = z.looseObject({ success: z.literal(true) });

const SubscribedApps = z.looseObject({
  data: z.array(z.looseObject({ whatsapp_business_api_data: z.looseObject({ id: z.coerce.string() }) })),
});

const Numbers = z.looseObject({
  data: z.array(z.looseObject({ id: z.coerce.string() })),
  paging: z.looseObject({ next: z.string().nullish() }).nullish(),
});

const Subscriptions = z.looseObject({
  data: z.array(
    z.looseObject({
      object: z.string(),
      active: z.boolean().nullish(),
      fields: z.array(z.union([z.string(), z.looseObject({ name: z.string() }).transform(({ name }) => name)])),
    }),
  ),
});

/** A business account may have several apps. Ours is the app to which the app secret belongs. */
const MAX_APPS = 10;
const TIMEOUT_MS = 15_000;

/** Graph's transient failures and rate limits, which say nothing about the credentials. */
const PASSING: ReadonlySet<number> = new Set([1, 2, 4, 17, 613, 80007, 130429, 131000, 131016, 131057, 133004]);

export function checkNumber(graph: Graph, { phoneNumberId }: Pick<StoredCredentials, "phoneNumberId">): Promise<Checked<CloudNumber>> {
  return asked(graph, "number", { method: "GET", path: `/${phoneNumberId}`, query: { fields: NUMBER_FIELDS } }, NumberResponse);
}

function register(graph: Graph, phoneNumberId: string, pin: string): Promise<Checked<unknown>> {
  const json = { messaging_product: "whatsapp", pin };
  return asked(graph, "register", { method: "POST", path: `/${phoneNumberId}/register`, json }, Success);
}

/** The number must belong to the business account, or its webhooks would never arrive. A partial list proves nothing. */
async function checkAccount(graph: Graph, { wabaId, phoneNumberId }: StoredCredentials): Promise<Checked<null>> {
  const call: GraphCall = { method: "GET", path: `/${wabaId}/phone_numbers`, query: { fields: "id", limit: "100" } };
  const numbers = await asked(graph, "subscribe", call, Numbers);
  const isAnothers = numbers.kind === "passed" && !numbers.value.paging?.next && !numbers.value.data.some(({ id }) => id === phoneNumberId);
  return isAnothers ? { kind: "refused", step: "subscribe", code: null, access: false } : { kind: "passed", value: null };
}

/** Subscribes the app to the business account. `anew` means that the app was not subscribed before. If Graph refuses, nothing changes. */
export async function subscribe(
  graph: Graph,
  { wabaId, appSecret }: Pick<StoredCredentials, "wabaId" | "appSecret">,
): Promise<Checked<{ appId: string; anew: boolean }>> {
  const before = await subscribedApps(graph, wabaId);
  if (before.kind !== "passed") return before;
  const subscribed = await asked(graph, "subscribe", { method: "POST", path: `/${wabaId}/subscribed_apps` }, Success);
  if (subscribed.kind !== "passed") return subscribed;
  const apps = await subscribedApps(graph, wabaId);
  if (apps.kind !== "passed") return apps;
  const app = await appWithSecret(graph, apps.value, appSecret);
  if (app.kind === "passed") return { kind: "passed", value: { appId: app.value, anew: !before.value.includes(app.value) } };
  if (apps.value.some((id) => !before.value.includes(id))) await unsubscribe(graph, wabaId);
  return app;
}

export async function subscribedApps(graph: Graph, wabaId: string): Promise<Checked<string[]>> {
  const apps = await asked(graph, "subscribe", { method: "GET", path: `/${wabaId}/subscribed_apps` }, SubscribedApps);
  if (apps.kind !== "passed") return apps;
  return { kind: "passed", value: apps.value.data.map((app) => app.whatsapp_business_api_data.id).slice(0, MAX_APPS) };
}

async function appWithSecret(graph: Graph, apps: readonly string[], appSecret: string): Promise<Checked<string>> {
  let code: number | null = null;
  for (const app of apps) {
    const call: GraphCall = { method: "GET", path: `/${app}/subscriptions`, authorization: `Bearer ${app}|${appSecret}` };
    const found = await asked(graph, "fields", call, Subscriptions);
    if (found.kind === "unanswered") return found;
    if (found.kind === "refused") code = found.code;
    else {
      const hasMessages = found.value.data.some(({ object, active, fields }) => {
        return object === "whatsapp_business_account" && active !== false && fields.includes("messages");
      });
      return hasMessages ? { kind: "passed", value: app } : { kind: "refused", step: "fields", code: null, access: false };
    }
  }
  return { kind: "refused", step: "fields", code, access: false };
}

type Preparation = { prepared: StoredCredentials; subscribedAnew: boolean };

/** The steps that run once: registering the number and subscribing the app. */
export async function prepare(graph: Graph, candidate: StoredCredentials): Promise<Preparation | Refused | Unanswered> {
  const { phoneNumberId, pin = null } = candidate;
  const account = await checkAccount(graph, candidate);
  if (account.kind !== "passed") return account;
  if (pin !== null) {
    const registered = await register(graph, phoneNumberId, pin);
    if (registered.kind !== "passed") return registered;
  }
  const app = await subscribe(graph, candidate);
  if (app.kind !== "passed") return app;
  return { prepared: { ...candidate, appId: app.value.appId, pin: null }, subscribedAnew: app.value.anew };
}

/** Sets the webhook URL, which Meta immediately verifies with the token. An empty URL removes it. */
export function setCallback(graph: Graph, phoneNumberId: string, address: string, verifyToken: string): Promise<Checked<unknown>> {
  const webhook = { override_callback_uri: address, ...(address === "" ? {} : { verify_token: verifyToken }) };
  return asked(graph, "callback", { method: "POST", path: `/${phoneNumberId}`, json: { webhook_configuration: webhook } }, Success);
}

export function unsubscribe(graph: Graph, wabaId: string): Promise<Checked<unknown>> {
  return asked(graph, "subscribe", { method: "DELETE", path: `/${wabaId}/subscribed_apps` }, Success);
}

async function asked<T>(graph: Graph, step: CheckStep, call: GraphCall, response: z.ZodType<T>): Promise<Checked<T>> {
  const said = await graph.call({ timeoutMs: TIMEOUT_MS, ...call });
  if (said.kind === "lost") return { kind: "unanswered", step };
  if (said.kind === "refused") {
    const { code } = said.error;
    const passes = PASSING.has(code) || said.status >= 500;
    return passes ? { kind: "unanswered", step } : { kind: "refused", step, code, access: isOfAccess(said.error) };
  }
  const read = response.safeParse(said.json);
  return read.success ? { kind: "passed", value: read.data } : { kind: "refused", step, code: null, access: false };
}

/** Returns true if the token is invalid or has lost access to the number, or if the number has left the Cloud API. */
function isOfAccess({ code, subcode }: GraphError): boolean {
  const isOfRights = code === 3 || code === 10 || (code >= 200 && code <= 299) || code === 131005;
  const isGone = code === 33 || code === 133010 || (code === 100 && subcode === 33);
  return code === 0 || code === 190 || isOfRights || isGone;
}

/** Times are in Unix ms. `connects` means that the check also connects the number. `number` is JSON of CloudNumber. */
type UpkeepRow = { due_at: number | null; connects: number; checked_at: number | null; number: string | null };

const NOTHING: UpkeepRow = { due_at: null, connects: 0, checked_at: null, number: null };

export class CheckRow {
  readonly #sql: SqlStorage;
  #row: UpkeepRow | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  read(): UpkeepRow {
    this.#row ??= this.#sql.exec<UpkeepRow>("SELECT due_at, connects, checked_at, number FROM cloud_check").toArray()[0] ?? NOTHING;
    return this.#row;
  }

  clockSetBack(): void {
    this.#row = null;
  }

  write(changes: Partial<UpkeepRow>): void {
    const row = { ...this.read(), ...changes };
    const { due_at: dueAt, connects, checked_at: checkedAt, number } = row;
    this.#sql.exec(
      "INSERT OR REPLACE INTO cloud_check (one, due_at, connects, checked_at, number) VALUES (1, ?, ?, ?, ?)",
      dueAt,
      connects,
      checkedAt,
      number,
    );
    this.#row = row;
  }
}

export type Account = {
  graph: Graph;
  credentials: StoredCredentials;
  callback: string;
  connection: string;
  /** True if another connection in this deployment has a number in this business account. */
  isShared: (wabaId: string) => Promise<boolean>;
};

/** Restores the webhook URL and the app's subscription if they were changed at Meta. */
export async function keepSubscribed({ graph, credentials, callback, connection }: Account, number: CloudNumber): Promise<void> {
  if (number.callback !== callback) {
    log("cloud.webhook_lost", { connection, what: "address" });
    await setCallback(graph, credentials.phoneNumberId, callback, credentials.verifyToken);
  }
  const apps = await subscribedApps(graph, credentials.wabaId);
  if (apps.kind !== "passed" || credentials.appId === null || apps.value.includes(credentials.appId)) return;
  log("cloud.webhook_lost", { connection, what: "subscription" });
  await subscribe(graph, credentials);
}

/** Removes the webhook URL and, with `unsubscribes`, the app's subscription unless another connection here needs it. */
export async function leave({ graph, credentials, callback, isShared }: Account, unsubscribes = true): Promise<void> {
  const number = await checkNumber(graph, credentials);
  if (number.kind !== "passed") return;
  if (number.value.callback === callback) await setCallback(graph, credentials.phoneNumberId, "", "");
  if (!unsubscribes || credentials.appId === null || (await isShared(credentials.wabaId))) return;
  await unsubscribe(graph, credentials.wabaId);
}
