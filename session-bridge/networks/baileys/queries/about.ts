// What a person says of themselves in a line.
import type { CommandOutput } from "../../../../src/protocol/commands.ts";
import { fail, type Outcome } from "../../../../src/protocol/failures.ts";
import type { SessionContext } from "../session/session-context.ts";

/** As the library reads it: "" or null when the person shows none to us, the beginning of time when it is not told since when. */
type StatusAnswer = { status?: { status?: string | null; setAt?: Date } };

export async function aboutOf(ctx: SessionContext, jid: string): Promise<Outcome<CommandOutput<"contacts.about">>> {
  const answers = (await ctx.sock.fetchStatus(jid)) as StatusAnswer[] | undefined;
  // The library says nothing where the network said nothing.
  if (answers === undefined) return fail("network_timeout");
  const status = answers[0]?.status;
  const setAt = Math.floor((status?.setAt?.getTime() ?? 0) / 1000);
  return { ok: true, value: { about: status?.status || null, set_at: setAt > 0 ? setAt : null } };
}
