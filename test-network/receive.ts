import type { BinaryNode } from "baileys";
import type { Device, Account } from "./model.ts";
import type { Network, NetworkState } from "./network-state.ts";
import { child, node, nowSeconds, SERVER_JID, childrenOf } from "./node.ts";
import { routeChatState, routePresence } from "./presence.ts";
import { routeReceipt } from "./receipts.ts";
import { relay } from "./relay/relay.ts";
import { randomBytes } from "node:crypto";
import { addressesOf, namesByLid } from "./naming.ts";
import { freshId } from "./notifications.ts";

export function route(network: NetworkState, from: Device, stanza: BinaryNode): void {
  try {
    routeByTag(network, from, stanza);
  } catch (error) {
    network.stats.countFailure(stanza.tag, error);
  }
}

function routeByTag(network: NetworkState, from: Device, stanza: BinaryNode): void {
  switch (stanza.tag) {
    case "message":
      return relay(network, from, stanza);
    case "receipt":
      return acceptReceipt(network, from, stanza);
    case "ack":
      return acceptAck(network, from, stanza);
    case "presence":
      return routePresence(network, from, stanza);
    case "chatstate":
      return routeChatState(network, from, stanza);
    case "call":
      return routeCall(network, from, stanza);
    case "notification":
      return forwardToOwnPhone(network, from, stanza);
    case "ib":
      return acceptFlowControl(network, from, stanza);
    default:
      network.stats.count("unknown", stanza.tag);
  }
}

function acceptReceipt(
  network: Network<"delivery" | "directory" | "newsletters" | "stats" | "store" | "strict">,
  from: Device,
  stanza: BinaryNode,
): void {
  routeReceipt(network, from, stanza);
  const { id, to, type, participant } = stanza.attrs;
  network.delivery.emit(from.online, node("ack", { class: "receipt", id, from: to, type, participant, t: nowSeconds() }));
}

function acceptAck(network: Network<"delivery">, from: Device, { attrs }: BinaryNode): void {
  const { id, class: tag, to, participant, type, error } = attrs;
  if (id === undefined || tag === undefined) return;
  if (error === undefined) network.delivery.settle(from, tag, { id, from: to, participant, type });
  else network.delivery.refuse(from, tag, { id, from: to, participant, type });
}

// Handles `offline_batch`; everything else here is telemetry, which needs no response.
function acceptFlowControl(network: Network<"delivery">, from: Device, stanza: BinaryNode): void {
  const batch = child(stanza, "offline_batch");
  if (batch) network.delivery.pull(from, Number(batch.attrs["count"] ?? 0));
}

// Forwards the phone's reply to a device of its account, for example after a media request (`mediaretry`).
function forwardToOwnPhone(network: Network<"delivery" | "directory" | "stats">, from: Device, stanza: BinaryNode): void {
  const target = network.directory.device(stanza.attrs["to"]);
  if (!target || target.account !== from.account) return network.stats.count("unknown", "notification");
  const { id, type, from: sender = from.account.pnJid } = stanza.attrs;
  network.delivery.enqueue(target, node("notification", { id, type, from: sender, t: nowSeconds() }, stanza.content));
  network.delivery.emit(from.online, node("ack", { class: "notification", id, from: SERVER_JID }));
}

/** Call stanzas go to every device of the callee and are acked to the sender. */
function routeCall(network: Network<"addressing" | "delivery" | "directory">, from: Device, stanza: BinaryNode): void {
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
