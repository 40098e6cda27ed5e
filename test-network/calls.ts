import { randomBytes } from "node:crypto";
import type { BinaryNode } from "baileys";
import type { Account, Device } from "./model.ts";
import { addressesOf, namesByLid } from "./naming.ts";
import type { Network } from "./network-state.ts";
import { childrenOf, node, nowSeconds } from "./node.ts";
import { freshId } from "./notifications.ts";

/** Call stanzas go to every device of the callee and are acked to the sender. */
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
    const byLid = namesByLid(from.account, network.addressing === "lid");
    const { other } = addressesOf(from.account, byLid);
    const attrs = {
      from: byLid ? from.lidJid : from.pnJid,
      sender_pn: byLid ? other : undefined,
      sender_lid: byLid ? undefined : other,
      id,
      t: nowSeconds(),
      notify: from.account.name,
    };
    for (const device of target.devices.values()) {
      if (device !== from) network.delivery.enqueue(device, node("call", attrs, stanza.content));
    }
  }
  if (from.id !== 0 && (signal.tag === "accept" || signal.tag === "reject")) stopRinging(network, from, target, signal);
  network.delivery.emit(from.online, node("ack", { class: "call", id, from: to, type: signal.tag, t: nowSeconds() }));
}

function stopRinging(network: Network<"delivery">, from: Device, caller: Account, signal: BinaryNode): void {
  const phone = from.account.devices.get(0);
  const { "call-id": callId, "call-creator": creator } = signal.attrs;
  if (!phone) return;
  const terminate = node("terminate", { "call-id": callId, "call-creator": creator, reason: `${signal.tag}ed_elsewhere` });
  network.delivery.enqueue(phone, node("call", { from: caller.pnJid, id: freshId(), t: nowSeconds() }, [terminate]));
}
