import type { BinaryNode } from "baileys";
import { mayEdit } from "../groups/view.ts";
import type { Account, Device, Group, Picture } from "../model.ts";
import type { Network } from "../network-state.ts";
import { bytesOf, child, node } from "../node.ts";
import { freshId, notifyAccount, notifyAcquaintances } from "../notifications.ts";
import { done, refused, type Reply } from "./reply.ts";

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
