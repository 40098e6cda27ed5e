// Answers `encrypt` queries, which publish and fetch keys (docs/internals/wire-protocol.md, "After login").
import type { BinaryNode } from "baileys";
import type { Device, KeyBundle, PublishedKeys, SignedPreKey } from "../model.ts";
import type { Network } from "../network-state.ts";
import { takeBundle } from "../devices.ts";
import { bigEndian, bytesOf, child, children, childrenOf, node, numberOf } from "../node.ts";
import { done, refused, type Reply } from "./reply.ts";

const KEY_TYPE = Buffer.from([5]);

export function answerKeys(network: Network<"delivery" | "directory" | "stats" | "store">, from: Device, iq: BinaryNode): Reply {
  const [request] = childrenOf(iq);
  switch (request?.tag) {
    case "count":
      return done(node("count", { value: String(from.preKeys.size) }));
    case "digest":
      return digest(from);
    case "key":
      return bundles(network, from, request);
    case "rotate":
      return rotate(network, from, request);
    default:
      return iq.attrs["type"] === "set" ? publish(network, from, iq) : refused(501);
  }
}

function digest({ keys }: Device): Reply {
  if (!keys) return refused(404);
  return done(
    node("digest", {}, [
      node("registration", {}, bigEndian(keys.registrationId, 4)),
      node("type", {}, KEY_TYPE),
      node("identity", {}, keys.identityKey),
      node("skey", {}, [node("id", {}, bigEndian(keys.skey.id, 3))]),
    ]),
  );
}

function bundles(network: Network<"delivery" | "directory" | "stats" | "store">, from: Device, request: BinaryNode): Reply {
  const users = children(request, "user").map(({ attrs: { jid = "" } }) => {
    const bundle = takeBundle(network, jid, from);
    return bundle ? bundleNode(jid, bundle) : node("user", { jid }, [node("error", { code: "404", text: "item-not-found" })]);
  });
  return done(node("list", {}, users));
}

function bundleNode(jid: string, { registrationId, identityKey, skey, key }: KeyBundle): BinaryNode {
  return node("user", { jid }, [
    node("registration", {}, bigEndian(registrationId, 4)),
    node("type", {}, KEY_TYPE),
    node("identity", {}, identityKey),
    node("skey", {}, [node("id", {}, bigEndian(skey.id, 3)), node("value", {}, skey.value), node("signature", {}, skey.signature)]),
    ...(key ? [node("key", {}, [node("id", {}, bigEndian(key.id, 3)), node("value", {}, key.value)])] : []),
  ]);
}

function rotate(network: Network<"directory">, from: Device, request: BinaryNode): Reply {
  const skey = signedPreKey(child(request, "skey"));
  if (!skey || !from.keys) return refused(400);
  network.directory.publish(from, { ...from.keys, skey });
  return done();
}

function publish(network: Network<"directory" | "store">, from: Device, iq: BinaryNode): Reply {
  const keys = publishedKeys(iq);
  if (!keys) return refused(400);
  for (const key of children(child(iq, "list"), "key")) {
    const id = numberOf(child(key, "id"));
    const value = bytesOf(child(key, "value"));
    if (id === undefined || !value) return refused(400);
    from.preKeys.set(id, value);
    network.store.savePreKey(from, id, value);
  }
  network.directory.publish(from, keys);
  return done();
}

function publishedKeys(iq: BinaryNode): PublishedKeys | undefined {
  const registrationId = numberOf(child(iq, "registration"));
  const identityKey = bytesOf(child(iq, "identity"));
  const skey = signedPreKey(child(iq, "skey"));
  return registrationId === undefined || !identityKey || !skey ? undefined : { registrationId, identityKey, skey };
}

function signedPreKey(skey: BinaryNode | undefined): SignedPreKey | undefined {
  const id = numberOf(child(skey, "id"));
  const value = bytesOf(child(skey, "value"));
  const signature = bytesOf(child(skey, "signature"));
  return id === undefined || !value || !signature ? undefined : { id, value, signature };
}
