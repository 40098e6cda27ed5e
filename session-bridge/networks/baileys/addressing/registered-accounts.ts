// Which numbers have an account, and under which LID. The library's own look-up asks in a form that the network has replaced.
import { getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET, type BinaryNode } from "baileys";
import type { SessionContext } from "../session/session-context.ts";
import { userOf } from "./jids.ts";

/**
 * The numbers of the accounts found, in the network's form, which may differ from the one asked for; undefined when it did not
 * answer. Throws its refusal.
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
  // The library's store outlives this process, so nobody is asked for twice.
  await ctx.sock.signalRepository.lidMapping.storeLIDPNMappings(accounts.filter(({ lid, pn }) => lid !== pn));
  return accounts.flatMap(({ pn }) => userOf(pn) ?? []);
}

function tag(name: string, attrs: BinaryNode["attrs"], content?: BinaryNode["content"]): BinaryNode {
  return content === undefined ? { tag: name, attrs } : { tag: name, attrs, content };
}
