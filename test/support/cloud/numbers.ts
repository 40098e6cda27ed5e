// Numbers on the local Graph network, connected as a customer connects them.
import { createHmac } from "node:crypto";
import type { Ready } from "#root/src/sandbox/host/state-directory.ts";
import { accountCalls } from "../account-holder.ts";
import { customer, person, phones } from "../clients.ts";
import { ok } from "../replies.ts";

/** Credentials that the network issues for a new number. */
export type CloudCredentials = { phone_number_id: string; waba_id: string; app_id: string; access_token: string; app_secret: string };

export type CloudNumber = {
  phone: string;
  /** The connection's id in the Account API; `id` is the dashboard's. */
  instance: string;
  id: number;
  credentials: CloudCredentials;
  key: string;
  api: ReturnType<typeof customer>;
  owner: Awaited<ReturnType<typeof person>>;
};

/** A number on the simulated network, connected to an instance of the demo user. */
export async function connectCloudNumber(ready: Ready, { phone, name }: { phone: string; name: string }): Promise<CloudNumber> {
  const credentials = await ok<CloudCredentials>(phones(ready).call("POST", "/cloud/numbers", { phone, name }), 201);
  const account = accountCalls(ready, { "x-api-key": ready.demo.api_key });
  const { app_id: _, ...cloud_api } = credentials;
  const made = await ok(account("POST", "/instances", { name, kind: "cloud_api", cloud_api }), 201);
  const instance = made.data.id as string;
  const owner = await person(ready);
  const listed = await ok<{ data: { id: number; instance_id: string }[] }>(owner.call("GET", "/connections"));
  const id = listed.data.find(({ instance_id }) => instance_id === instance)?.id ?? 0;
  const key = (await ok(owner.call("POST", `/connections/${id}/keys`, { name: "test" }), 201)).data.key as string;
  return { phone, instance, id, credentials, key, api: customer(ready, key), owner };
}

let texts = 0;

/** The bytes of Meta's webhook for a text from this sender. */
export function webhookText({ waba_id, phone_number_id }: CloudCredentials, { from, text }: { from: string; text: string }): string {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const message = { id: `wamid.test-${Date.now()}-${(texts += 1)}`, from, timestamp, type: "text", text: { body: text } };
  const value = {
    messaging_product: "whatsapp",
    metadata: { display_phone_number: "5511900000000", phone_number_id },
    contacts: [{ profile: { name: "Somebody" }, wa_id: from }],
    messages: [message],
  };
  return JSON.stringify({ object: "whatsapp_business_account", entry: [{ id: waba_id, changes: [{ field: "messages", value }] }] });
}

/** The `X-Hub-Signature-256` of these bytes. */
export function signatureOf(body: string, secret: string): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}
