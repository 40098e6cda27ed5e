import type { BinaryNode } from "baileys";
import type { Account, Device } from "../model.ts";
import type { Network } from "../network-state.ts";
import { child, children, node, nowSeconds, textOf } from "../node.ts";
import { notifyAccount } from "../notifications.ts";
import { done, refused, type Reply } from "./reply.ts";

const AUDIENCES = ["all", "contacts", "contact_blacklist", "none"];
const PRIVACY_VALUES: Readonly<Record<string, readonly string[]>> = {
  last: AUDIENCES,
  online: ["all", "match_last_seen"],
  profile: AUDIENCES,
  status: AUDIENCES,
  readreceipts: ["all", "none"],
  groupadd: ["all", "contacts", "contact_blacklist"],
  calladd: ["all", "known"],
  messages: ["all", "contacts"],
};

export function answerPrivacy(network: Network<"delivery" | "directory" | "store" | "tokens">, from: Device, iq: BinaryNode): Reply {
  const { account } = from;
  const tokens = child(iq, "tokens");
  if (tokens) return giveTokens(network, from, tokens);
  if (iq.attrs["type"] === "set") {
    const changes = children(child(iq, "privacy"), "category");
    const isValid = changes.every(({ attrs: { name = "", value = "" } }) => PRIVACY_VALUES[name]?.includes(value) === true);
    if (!isValid) return refused(400);
    for (const { attrs } of changes) account.privacy[attrs["name"] ?? ""] = attrs["value"] ?? "";
    network.store.saveAccount(account);
    notifyAccount(network, account, from, { from: account.pnJid, type: "account_sync" }, [node("privacy", {}, changes)]);
  }
  return done(
    node(
      "privacy",
      {},
      Object.entries(account.privacy).map(([name, value]) => node("category", { name, value })),
    ),
  );
}

/** The block list, by LID. Notifies the account's other devices of changes. */
export function answerBlocklist(network: Network<"delivery" | "directory" | "store">, from: Device, iq: BinaryNode): Reply {
  const { account } = from;
  const item = child(iq, "item");
  if (iq.attrs["type"] !== "set") {
    return done(
      node(
        "list",
        {},
        [...account.blocklist].flatMap((lid) => blocked(network, lid)),
      ),
    );
  }
  const target = network.directory.find(item?.attrs["jid"]);
  const action = item?.attrs["action"];
  if (!target || (action !== "block" && action !== "unblock")) return refused(400);
  if (action === "block") account.blocklist.add(target.lid);
  else account.blocklist.delete(target.lid);
  network.store.saveAccount(account);
  notifyAccount(network, account, from, { from: account.pnJid, type: "account_sync" }, [
    node("blocklist", {}, [node("item", { jid: target.lidJid, pn_jid: target.pnJid, action })]),
  ]);
  return done(node("list", {}, [node("item", { jid: target.lidJid, pn_jid: target.pnJid, action })]));
}

/** Sets the about text in its old form; the new form is an operation of `w:mex`. */
export function answerAbout(network: Network<"oldForms" | "store">, from: Device, iq: BinaryNode): Reply {
  if (iq.attrs["type"] !== "set") return refused(501);
  if (network.oldForms.refuses(from, "about/status")) return refused(400);
  from.account.about = { text: textOf(child(iq, "status")) ?? "", at: nowSeconds() };
  network.store.saveAccount(from.account);
  return done();
}

export function answerAccountSettings(network: Network<"delivery" | "store">, from: Device, iq: BinaryNode): Reply {
  const { account } = from;
  const seconds = child(iq, "disappearing_mode")?.attrs["duration"];
  if (iq.attrs["type"] === "set") {
    if (seconds === undefined) return refused(400);
    account.disappearing = { seconds, at: nowSeconds() };
    network.store.saveAccount(account);
    notifyAccount(network, account, from, { from: account.pnJid, type: "account_sync" }, [disappearingNode(account)]);
  }
  return done(disappearingNode(account));
}

// A client gives its contacts a trusted-contact token; the real network restricts messages without one.
function giveTokens(network: Network<"directory" | "tokens">, from: Device, tokens: BinaryNode): Reply {
  for (const { attrs } of children(tokens, "token")) {
    const target = network.directory.find(attrs["jid"]);
    if (target) network.tokens.give(from.account, target, attrs["t"]);
  }
  return done();
}

function blocked(network: Network<"directory">, lid: string): BinaryNode[] {
  const account = network.directory.byLid(lid);
  return account ? [node("item", { jid: account.lidJid, pn_jid: account.pnJid })] : [];
}

function disappearingNode({ disappearing: { seconds, at } }: Account): BinaryNode {
  return node("disappearing_mode", { duration: seconds, t: at });
}
