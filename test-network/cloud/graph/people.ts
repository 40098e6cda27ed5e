import * as z from "zod";
import { rejectCall } from "../../phone/calls.ts";
import { listBlocked, setBlocked } from "../../phone/profile.ts";
import { phoneCallIdOf } from "../ids.ts";
import { spelled } from "../spellings.ts";
import { graphError, webhookError } from "./errors.ts";
import { json, NOTHING, on, SUCCESS, WHATSAPP, type Edge, type GraphCall, type Nodes } from "./route.ts";

const Users = z.object({
  ...WHATSAPP,
  block_users: z
    .array(
      z
        .object({ user: z.string().min(1).optional(), user_id: z.string().min(1).optional() })
        .transform(({ user, user_id }) => user ?? user_id ?? "")
        .pipe(z.string().min(1)),
    )
    .min(1)
    .max(1_000),
});
const Call = z.discriminatedUnion("action", [
  z.object({ ...WHATSAPP, call_id: z.string().min(1), action: z.enum(["reject", "terminate", "accept", "pre_accept"]) }),
  z.object({ ...WHATSAPP, action: z.literal("connect"), to: z.string().optional(), recipient: z.string().optional() }),
]);

const NO_SUCH_CALL = 138_007;

export const peopleEdges: readonly Edge[] = [
  on("number", "GET", "block_users", NOTHING, ({ phone }, { query }) => {
    const all = listBlocked(phone.deps);
    const after = Number(Buffer.from(query.get("after") ?? "", "base64url").toString() || 0);
    const limit = Math.min(Number(query.get("limit") ?? 25) || 25, 1_000);
    const page = all.slice(after, after + limit);
    const cursor = (at: number) => Buffer.from(String(at)).toString("base64url");
    const more = after + page.length < all.length;
    const cursors = { before: cursor(after), ...(more && { after: cursor(after + page.length) }) };
    return json({ data: page.map((wa_id) => ({ messaging_product: "whatsapp", wa_id })), ...(page.length > 0 && { paging: { cursors } }) });
  }),
  on("number", "POST", "block_users", Users, (node, call) => block(node, call, true)),
  on("number", "DELETE", "block_users", Users, (node, call) => block(node, call, false)),
  on("number", "POST", "calls", Call, async ({ phone }, { body }) => {
    if (body.action !== "reject" && body.action !== "terminate")
      return graphError(138_000, { details: "No sound flows on this network: calls are neither made nor accepted." });
    const id = phoneCallIdOf(body.call_id);
    const isOver = id === null || !(await phone.act((deps) => rejectCall(deps, id)));
    return isOver ? graphError(NO_SUCH_CALL, { details: "The call is over." }) : json(SUCCESS);
  }),
];

/** Only people who wrote in the last 24 hours can be blocked. */
async function block({ number, phone }: Nodes["number"], { cloud, network, body }: GraphCall<z.output<typeof Users>>, on: boolean) {
  const done: object[] = [];
  const failed: object[] = [];
  for (const input of body.block_users) {
    const wa_id =
      personOf(input) ?? spelled(input.replace(/\D/g, ""), number.spelling, (digits) => network.directory.account(digits) !== undefined);
    const code = network.directory.account(wa_id) === undefined ? 131_021 : on && !cloud.hasWindow(number, wa_id) ? 131_047 : null;
    if (code === null) {
      await phone.act((deps) => setBlocked(deps, wa_id, on));
      done.push({ input, wa_id });
    } else failed.push({ input, wa_id, errors: [webhookError(code)] });
  }
  const users = { [on ? "added_users" : "removed_users"]: done, ...(failed.length > 0 && { failed_users: failed }) };
  return json({ messaging_product: "whatsapp", block_users: users });

  function personOf(user: string): string | null {
    if (!/^[A-Z]{2}\./.test(user)) return null;
    return [...network.directory.accounts.keys()].find((pn) => cloud.userId(number, pn) === user) ?? null;
  }
}
