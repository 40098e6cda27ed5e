// Answers `usync` queries for public data about people. Clients need a person's LID from here to encrypt for them.
import { jidEncode, type BinaryNode } from "baileys";
import type { Account, Device } from "../model.ts";
import type { Network } from "../network-state.ts";
import { child, children, childrenOf, node, SERVER, textOf } from "../node.ts";
import { done, refused, type Reply } from "./reply.ts";
import { removeDevice } from "../devices.ts";

export function answerDirectory(network: Network<"directory" | "oldForms">, from: Device, iq: BinaryNode): Reply {
  const query = child(iq, "usync");
  if (!query) return refused(400);
  const protocols = child(query, "query");
  const asked = childrenOf(protocols).map(({ tag }) => tag);
  const byLid = child(protocols, "contact")?.attrs["addressing_mode"] === "lid";
  if (asked.includes("contact") && !byLid && network.oldForms.refuses(from, "usync/contact")) return refused(400);
  const users = children(child(query, "list"), "user").map((user) => answerFor(network, from, user, asked, byLid));
  const { sid, mode, context } = query.attrs;
  return done(
    node("usync", { sid, mode, context, index: "0", last: "true" }, [
      node(
        "result",
        {},
        asked.map((tag) => node(tag)),
      ),
      node("list", {}, users),
    ]),
  );
}

function answerFor(network: Network<"directory">, from: Device, user: BinaryNode, asked: string[], byLid: boolean): BinaryNode {
  // The text of `contact` is a number to look up. Known contacts are given as JIDs.
  const digits = textOf(child(user, "contact"))?.replace(/\D/g, "");
  const account = digits ? accountBy(network, digits) : network.directory.find(user.attrs["jid"]);
  const jid = digits ? jidEncode(account?.pn ?? digits, SERVER) : user.attrs["jid"];
  if (account && asked.some((tag) => tag !== "contact")) network.directory.acquaint(from.account, account);
  // A number without an account does not have a LID either.
  const addresses = digits && byLid ? { jid: account?.phoneOnly ? undefined : account?.lidJid, pn_jid: jid } : { jid };
  return node(
    "user",
    addresses,
    asked.flatMap((tag) => protocolAnswer(tag, account, from) ?? []),
  );
}

/** Brazilian mobile numbers are found with and without their ninth digit (docs/use/apis.md, "Ids, phones and times"). */
function accountBy(network: Network<"directory">, digits: string): Account | undefined {
  const [, area, nine, rest] = /^55(\d\d)(9?)(\d{8})$/.exec(digits) ?? [];
  const twin = area === undefined ? undefined : network.directory.account(`55${area}${nine === "" ? "9" : ""}${rest}`);
  return network.directory.account(digits) ?? twin;
}

function protocolAnswer(tag: string, account: Account | undefined, from: Device): BinaryNode | undefined {
  if (tag === "contact") return node("contact", { type: account ? "in" : "out" });
  if (!account) return undefined;
  switch (tag) {
    case "devices":
      return node("devices", {}, [node("device-list", {}, [...account.devices.values()].map(deviceNode))]);
    case "lid":
      return account.phoneOnly ? undefined : node("lid", { val: account.lidJid });
    case "status":
      return aboutNode(account, from);
    case "disappearing_mode":
      return node("disappearing_mode", { duration: account.disappearing.seconds, t: account.disappearing.at });
    default:
      return undefined;
  }
}

function deviceNode({ id }: Device): BinaryNode {
  return node("device", { id: String(id), "key-index": id === 0 ? undefined : String(id) });
}

function aboutNode({ about, privacy, lid }: Account, from: Device): BinaryNode {
  const hidden = privacy["status"] === "none" && from.account.lid !== lid;
  return hidden ? node("status", { code: "401", t: "0" }) : node("status", { t: about.at }, Buffer.from(about.text));
}

export function answerDevices(network: Network<"delivery" | "directory" | "faults" | "store">, from: Device, iq: BinaryNode): Reply {
  const request = child(iq, "remove-companion-device");
  if (!request) return refused(501);
  const device = network.directory.device(request.attrs["jid"]);
  if (!device || device.account !== from.account || device.id === 0) return refused(404);
  removeDevice(network, device);
  return done();
}
