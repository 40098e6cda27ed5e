// What the benchmarks stand on: one sandbox without limits, and bare Baileys clients on its test network.
import type { Ready } from "../../src/sandbox/host/ready-file.ts";
import { phones } from "../../test/support/clients.ts";
import { type BaileysClient, linkedClient, trust, type Whereabouts } from "../../test/support/bridge/baileys-client.ts";
import { type Sandbox, startSandbox } from "../../test/support/sandbox.ts";

/** What linking a device takes; it can be handed to another thread. */
export type Linking = { ready: Ready; where: Whereabouts };
export type World = Linking & { sandbox: Sandbox };

/** `--no-limits` lifts the burst and repeated-read limits; every benchmark says so in its output. */
export async function openWorld(): Promise<World> {
  const sandbox = await startSandbox(["--no-limits"]);
  const ready = sandbox.ready();
  const { network_url: url } = ready;
  const address = (await (await fetch(`${url}/network`)).json()) as { ws_url: string; root_public_key: string; ca_pem: string };
  const where = { wsUrl: address.ws_url, rootPublicKey: address.root_public_key, caPem: address.ca_pem };
  trust(where);
  process.stdout.write("sandbox started with --no-limits; loopback only; ratios within this run are what counts\n");
  return { sandbox, ready, where };
}

/** A bare Baileys client linked to a new simulated phone. */
export async function bareClient({ ready, where }: Linking, phone: string, name: string): Promise<BaileysClient> {
  const api = phones(ready);
  await api.create(phone, name);
  await api.call("PATCH", `/phones/${phone}`, { receipts: "none" });
  const client = await linkedClient(where, (qr) => api.call("POST", `/phones/${phone}/scan`, { qr }), { emitOwnEvents: false });
  return client;
}

/** Resolves when the network has acknowledged the message, as the gateway's own answer does. */
export function sendAcknowledged(client: BaileysClient, jid: string, text: string): Promise<void> {
  const messageId = `3EB0${crypto.randomUUID().replaceAll("-", "").slice(0, 18).toUpperCase()}`;
  const acknowledged = new Promise<void>((resolve) => {
    const seen = (node: { attrs: Record<string, string> }) => {
      if (node.attrs["id"] !== messageId) return;
      client.sock.ws.off("CB:ack,class:message", seen);
      resolve();
    };
    client.sock.ws.on("CB:ack,class:message", seen);
  });
  return Promise.all([client.sock.sendMessage(jid, { text }, { messageId }), acknowledged]).then(() => undefined);
}
