// Shared benchmark setup: one sandbox without limits, and bare Baileys clients on its test network.
import type { Ready } from "../../src/sandbox/host/state-directory.ts";
import type { NetworkAddresses } from "../../test-network/control/route.ts";
import { phones } from "../../test/support/clients.ts";
import { type BaileysClient, linkedClient, trust, type Whereabouts } from "../../test/support/bridge/baileys-client.ts";
import { type Sandbox, startSandbox } from "../../test/support/sandbox.ts";

/** Data for linking a device; can be passed to another process. */
export type LinkTarget = { ready: Ready; where: Whereabouts };
export type BenchSandbox = LinkTarget & { sandbox: Sandbox };

/** `--no-limits` lifts the burst and repeated-read limits; every benchmark says so in its output. */
export async function startBenchSandbox(): Promise<BenchSandbox> {
  const sandbox = await startSandbox(["--no-limits"]);
  const ready = sandbox.ready();
  const { network_url: url } = ready;
  const address = (await (await fetch(`${url}/network`)).json()) as NetworkAddresses;
  const where = { wsUrl: address.ws_url, rootPublicKey: address.root_public_key, caPem: address.ca_pem, mediaHost: address.media_host };
  trust(where);
  process.stdout.write("sandbox started with --no-limits; loopback only; ratios within this run are what counts\n");
  return { sandbox, ready, where };
}

/** A bare Baileys client linked to a new simulated phone. */
export async function bareClient({ ready, where }: LinkTarget, phone: string, name: string): Promise<BaileysClient> {
  const api = phones(ready);
  await api.create(phone, name);
  await api.call("PATCH", `/phones/${phone}`, { receipts: "none" });
  const client = await linkedClient(where, (qr) => api.call("POST", `/phones/${phone}/scan`, { qr }), { emitOwnEvents: false });
  return client;
}

/** Resolves once the network has acknowledged the message, as the gateway's own response does. */
export function sendAcknowledged(client: BaileysClient, jid: string, text: string): Promise<void> {
  const messageId = `3EB0${crypto.randomUUID().replaceAll("-", "").slice(0, 18).toUpperCase()}`;
  const acknowledged = new Promise<void>((resolve) => {
    const onAck = (node: { attrs: Record<string, string> }) => {
      if (node.attrs["id"] !== messageId) return;
      client.sock.ws.off("CB:ack,class:message", onAck);
      resolve();
    };
    client.sock.ws.on("CB:ack,class:message", onAck);
  });
  return Promise.all([client.sock.sendMessage(jid, { text }, { messageId }), acknowledged]).then(() => undefined);
}
