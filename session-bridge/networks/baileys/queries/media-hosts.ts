// The network's media hosts, best first. Queried here, because the library's query keeps failing for the whole life of a socket once it has
// failed.
import { getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from "baileys";
import { perSession } from "../session/per-session.ts";
import type { SessionContext } from "../session/session-context.ts";
import { queryNetwork } from "./network-query.ts";

const hostsOf = perSession(() => ({ names: [] as string[], until: 0 }));

export async function mediaHostNames(ctx: Pick<SessionContext, "session" | "sock" | "now">): Promise<readonly string[]> {
  const known = hostsOf(ctx.session);
  if (ctx.now() < known.until) return known.names;
  const attrs = { type: "set", xmlns: "w:m", to: S_WHATSAPP_NET };
  const answer = await queryNetwork(ctx, attrs, [{ tag: "media_conn", attrs: {} }]).catch(() => null);
  const listed = answer === null ? undefined : getBinaryNodeChild(answer, "media_conn");
  if (listed === undefined) return known.names;
  known.names = getBinaryNodeChildren(listed, "host").flatMap(({ attrs: { hostname } }) => (hostname ? [hostname] : []));
  known.until = ctx.now() + (Number(listed.attrs["ttl"]) || 0) * 1_000;
  return known.names;
}
