// A connection of a served gateway, paired with a phone of the local network.
import { type Called, customer, phones } from "../clients.ts";
import { eventually } from "../eventually.ts";
import { ok } from "../replies.ts";
import type { LocalNetwork } from "./network.ts";
import type { firstAdministrator, ServedGateway } from "./served-gateway.ts";

const WITHIN_MS = 120_000;

type Administrator = Awaited<ReturnType<typeof firstAdministrator>>["dashboard"];

export type PairedNumber = {
  id: number;
  key: string;
  called: Called;
  api: ReturnType<typeof customer>;
  /** Resolves once the session is connected, without pairing it again. */
  connected(): Promise<void>;
};

export async function pairNumber(
  gateway: ServedGateway,
  network: LocalNetwork,
  administrator: Administrator,
  number: string,
): Promise<PairedNumber> {
  const { id } = (await ok(administrator("POST", "/connections", { name: "Shop" }), 201)).data as { id: number };
  const { key } = (await ok(administrator("POST", `/connections/${id}/keys`, { name: "test" }), 201)).data as { key: string };
  const called = { app_url: gateway.url, demo: { connection: { api_key: key } } };
  const api = customer(called);
  const isConnected = async () => (await ok(administrator("GET", `/connections/${id}`))).data.status === "connected";
  const phone = phones(network);
  await phone.create(number, "Shop");
  await administrator("POST", `/connections/${id}/connect`);
  const qr = await eventually("a QR", WITHIN_MS, async () => {
    const answer = await api.get("/instance/qr");
    return answer.status === 200 && (answer.body.data.raw as string);
  });
  await ok(phone.call("POST", `/phones/${number}/scan`, { qr }));
  await eventually("connected", WITHIN_MS, isConnected);
  return {
    id,
    key,
    called,
    api,
    async connected() {
      await eventually("connected again, without pairing", WITHIN_MS, isConnected);
    },
  };
}
