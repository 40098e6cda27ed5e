import { randomBytes } from "node:crypto";
import type { BinaryNode } from "baileys";
import type { Device } from "./model.ts";
import type { Network } from "./network-state.ts";
import { childrenOf, node, nowSeconds } from "./node.ts";
import { freshId } from "./notifications.ts";

/** Call stanzas (offer, accept, reject, terminate) go to every device of the callee and are acked to the sender under the same id. */
export function routeCall(network: Network<"addressing" | "delivery" | "directory">, from: Device, stanza: BinaryNode): void {
  const { to = "", id = freshId() } = stanza.attrs;
  const [signal] = childrenOf(stanza);
  if (signal?.tag === "link_create") {
    const token = randomBytes(8).toString("hex");
    return network.delivery.emit(from.online, node("ack", { class: "call", id, from: "@call" }, [node("link_create", { token })]));
  }
  const target = network.directory.find(to);
  if (!target || !signal) return network.delivery.emit(from.online, node("ack", { class: "call", id, from: to, error: "404" }));
  if (!target.blocklist.has(from.account.lid)) {
    const byLid = network.addressing === "lid";
    const attrs = {
      from: byLid ? from.lidJid : from.pnJid,
      sender_pn: byLid ? from.account.pnJid : undefined,
      sender_lid: byLid ? undefined : from.account.lidJid,
      id,
      t: nowSeconds(),
      notify: from.account.name,
    };
    for (const device of target.devices.values()) {
      if (device !== from) network.delivery.enqueue(device, node("call", attrs, stanza.content));
    }
  }
  network.delivery.emit(from.online, node("ack", { class: "call", id, from: to, type: signal.tag, t: nowSeconds() }));
}
