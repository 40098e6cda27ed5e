import type { BinaryNode } from "baileys";
import type { Account, Device, BusinessProfile, Group, Picture } from "../model.ts";
import type { Network } from "../network-state.ts";
import { child, children, node, nowSeconds, textOf, childrenOf, bytesOf } from "../node.ts";
import { notifyAccount, freshId, notifyAcquaintances } from "../notifications.ts";
import { done, refused, type Reply } from "./reply.ts";
import { mayEdit } from "../groups/view.ts";

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

const TEXT_FIELDS = ["address", "description", "email"] as const;

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

/** Reads or changes the block list, which contains LIDs. Notifies the account's other devices of changes. */
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

/** Sets the about text in the old stanza form. The new form is a `w:mex` operation. */
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

// Stores the trusted-contact token that a client issues to a contact. The real network restricts messages without such a token.
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

export function answerBusiness(network: Network<"directory" | "store">, from: Device, iq: BinaryNode): Reply {
  const request = child(iq, "business_profile");
  if (!request) return refused(501);
  if (iq.attrs["type"] === "set") return change(network, from.account, request);
  const asked = children(request, "profile").map(({ attrs }) => ({ jid: attrs["jid"], account: network.directory.find(attrs["jid"]) }));
  const profiles = asked.flatMap(({ jid, account }) => (account?.business ? [profileNode(jid, account.businessProfile)] : []));
  return done(node("business_profile", { v: "244" }, profiles));
}

// Fields that the change does not contain keep their value.
function change(network: Network<"store">, account: Account, request: BinaryNode): Reply {
  if (!account.business) return refused(403);
  const profile = account.businessProfile;
  for (const field of TEXT_FIELDS) {
    const part = child(request, field);
    if (part) profile[field] = textOf(part) ?? "";
  }
  const websites = children(request, "website");
  if (websites.length > 0) profile.websites = websites.flatMap((one) => textOf(one) || []);
  const hours = child(request, "business_hours");
  if (hours) profile.hours = { timezone: hours.attrs["timezone"] ?? "UTC", days: childrenOf(hours).map(({ attrs }) => ({ ...attrs })) };
  network.store.saveAccount(account);
  return done();
}

function profileNode(jid: string | undefined, profile: BusinessProfile): BinaryNode {
  const texts = TEXT_FIELDS.flatMap((field) => (profile[field] === undefined ? [] : [node(field, {}, Buffer.from(profile[field]))]));
  const websites = profile.websites.map((one) => node("website", {}, Buffer.from(one)));
  const hours = profile.hours
    ? [
        node(
          "business_hours",
          { timezone: profile.hours.timezone },
          profile.hours.days.map((day) => node("business_hours_config", day)),
        ),
      ]
    : [];
  return node("profile", { jid }, [...texts, ...websites, ...hours]);
}

export function answerPicture(
  network: Network<"blobs" | "delivery" | "directory" | "groups" | "store">,
  from: Device,
  iq: BinaryNode,
): Reply {
  const { target: jid, type } = iq.attrs;
  const group = network.groups.get(jid ?? "");
  const account = group ? undefined : jid === undefined ? from.account : network.directory.find(jid);
  const request = child(iq, "picture");
  if (type === "get") return show(network, from, group, account, request?.attrs["type"] ?? "image");
  const picture = store(network, bytesOf(request));
  if (group) return setOfGroup(network, from, group, picture);
  if (account !== from.account) return refused(403);
  account.picture = picture;
  network.store.saveAccount(account);
  notifyAcquaintances(network, account, from, { from: account.pnJid, type: "picture" }, [changeNode(account.pnJid, from, picture)]);
  return picture ? done(node("picture", { id: picture.id })) : done();
}

function show(
  network: Network<"blobs" | "directory">,
  from: Device,
  group: Group | undefined,
  account: Account | undefined,
  type: string,
): Reply {
  if (group && !group.members.has(from.account.pn)) return refused(401);
  const hidden = account && account !== from.account && (account.privacy["profile"] === "none" || account.blocklist.has(from.account.lid));
  if (hidden) return refused(401);
  if (account) network.directory.acquaint(from.account, account);
  const picture = (group ?? account)?.picture;
  if (!picture) return refused(404);
  const { id, path } = picture;
  return done(node("picture", { id, type, url: network.blobs.urlOf(path), direct_path: path }));
}

function setOfGroup(network: Network<"delivery" | "directory" | "store">, from: Device, group: Group, picture: Picture | undefined): Reply {
  if (!mayEdit(group, from.account)) return refused(group.members.has(from.account.pn) ? 403 : 401);
  group.picture = picture;
  network.store.saveGroup(group);
  for (const pn of group.members.keys()) {
    const member = network.directory.account(pn);
    if (member) notifyAccount(network, member, undefined, { from: group.id, type: "picture" }, [changeNode(group.id, from, picture)]);
  }
  return picture ? done(node("picture", { id: picture.id })) : done();
}

function store(network: Network<"blobs">, bytes: Buffer | undefined): Picture | undefined {
  return bytes ? { id: freshId(), path: network.blobs.put(bytes, "jpg") } : undefined;
}

function changeNode(jid: string, by: Device, picture: Picture | undefined): BinaryNode {
  return node(picture ? "set" : "delete", { jid, id: picture?.id, author: by.account.pnJid });
}
