import type { CommandOutput } from "@gateway/protocol/commands.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import type { SessionContext } from "../session/session-context.ts";

/** As the library parses it: "" or null when the text is hidden from us, the epoch when its time is unknown. */
type StatusAnswer = { status?: { status?: string | null; setAt?: Date } };

export async function aboutOf(ctx: SessionContext, jid: string): Promise<Outcome<CommandOutput<"contacts.about">>> {
  const answers = (await ctx.sock.fetchStatus(jid)) as StatusAnswer[] | undefined;
  if (answers === undefined) return fail("network_timeout");
  const status = answers[0]?.status;
  const setAt = Math.floor((status?.setAt?.getTime() ?? 0) / 1000);
  return { ok: true, value: { about: status?.status || null, set_at: setAt > 0 ? setAt : null } };
}
