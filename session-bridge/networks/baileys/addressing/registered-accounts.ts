// Looks up which numbers have an account, and its LID. The library's own look-up uses a form that the network has replaced.
import { getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET, type BinaryNode } from "baileys";
import type { SessionContext } from "../session/session-context.ts";
import { userOf } from "./jids.ts";

/**
 * Returns the accounts' numbers as the network writes them, which may differ from the requested ones. Undefined without an answer; throws
 * when the network refuses.
 */
export async function registeredAmong(ctx: SessionContext, phones: readonly string[]): Promise<string[] | undefined> {
  const users = phones.map((phone) => tag("user", {}, [tag("contact", {}, `+${phone}`)]));
  const query = tag("query", {}, [tag("contact", { addressing_mode: "lid" })]);
  const sid = ctx.sock.generateMessageTag();
  const attrs = { sid, mode: "query", context: "interactive", last: "true", index: "0" };
  const iq = tag("iq", { to: S_WHATSAPP_NET, type: "get", xmlns: "usync" }, [tag("usync", attrs, [query, tag("list", {}, users)])]);
  const answer = (await ctx.sock.query(iq)) as BinaryNode | undefined;
  if (answer === undefined) return undefined;
  const list = getBinaryNodeChild(getBinaryNodeChild(answer, "usync"), "list");
  const found = getBinaryNodeChildren(list, "user").filter((user) => getBinaryNodeChild(user, "contact")?.attrs["type"] === "in");
  const accounts = found.map(({ attrs: { jid = "", pn_jid: phone = jid } }) => ({ lid: jid, pn: phone }));
  // The stored mapping outlives this process, so each number is looked up once.
  await ctx.sock.signalRepository.lidMapping.storeLIDPNMappings(accounts.filter(({ lid, pn }) => lid !== pn));
  return accounts.flatMap(({ pn }) => userOf(pn) ?? []);
}

function tag(name: string, attrs: BinaryNode["attrs"], content?: BinaryNode["content"]): BinaryNode {
  return content === undefined ? { tag: name, attrs } : { tag: name, attrs, content };
}
