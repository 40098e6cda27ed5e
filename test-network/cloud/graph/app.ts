import * as z from "zod";
import type { App } from "../model.ts";
import { callbackOf } from "./number.ts";
import { json, NOTHING, on, SUCCESS, type Edge } from "./route.ts";

const OBJECT = "whatsapp_business_account";

const Subscription = z.object({
  object: z.literal(OBJECT),
  callback_url: z.string(),
  verify_token: z.string().default(""),
  fields: z.union([z.string().transform((names) => names.split(",").map((name) => name.trim())), z.array(z.string())]).optional(),
});

export const appEdges: readonly Edge[] = [
  on("app", "GET", "", NOTHING, ({ app: { app_id: id, name } }) => json({ id, name })),
  on("app", "GET", "subscriptions", NOTHING, ({ app }) => json({ data: subscriptionsOf(app) })),
  on("app", "POST", "subscriptions", Subscription, async ({ app }, { cloud, body }) => {
    const set = await callbackOf(cloud, app.app_id, body.callback_url, body.verify_token);
    if (!set.ok) return set.reply;
    cloud.documents.put("app", app.app_id, { ...app, callback: set.callback, fields: body.fields ?? app.fields });
    return json(SUCCESS);
  }),
  on("app", "DELETE", "subscriptions", NOTHING, ({ app }, { cloud }) => {
    cloud.documents.put("app", app.app_id, { ...app, callback: null, fields: [] });
    return json(SUCCESS);
  }),
];

function subscriptionsOf({ fields, callback }: App): object[] {
  if (fields.length === 0) return [];
  const named = fields.map((name) => ({ name, version: "v23.0" }));
  return [{ object: OBJECT, ...(callback && { callback_url: callback.url }), active: true, fields: named }];
}
