// JIDs of a status post's viewers. They are LIDs, because the network no longer accepts phone numbers here.
import type { SendRequest } from "@gateway/protocol/content.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { jidOfPerson } from "../addressing/jids.ts";
import { lidJidOf } from "../addressing/lid-look-up.ts";
import { identityOf } from "../addressing/own-identity.ts";
import { registeredNumbersOf } from "../addressing/registered-numbers.ts";
import type { SessionContext } from "../session/session-context.ts";

/** Omits numbers without an account. Fails with `number_not_on_network` if none of the requested numbers has one. */
export async function statusAudienceOf(ctx: SessionContext, { status }: SendRequest): Promise<Outcome<string[]>> {
  const recipients = status?.recipients ?? [];
  const numbers = await registeredNumbersOf(ctx.session).lookUpAll(
    ctx,
    recipients.flatMap(({ phone }) => phone ?? []),
  );
  if (!numbers.ok) return numbers;
  const found = recipients.flatMap(({ phone, lid }) => {
    const number = phone === null ? null : (numbers.value.get(phone) ?? null);
    return phone !== null && number === null ? [] : (jidOfPerson({ phone: number, lid }) ?? []);
  });
  if (recipients.length > 0 && found.length === 0) return fail("number_not_on_network");
  // Includes our own phone, because otherwise it would not show the post as its own.
  const own = jidOfPerson(identityOf(ctx.session).own);
  const audience = await Promise.all([...(own === null ? [] : [own]), ...found].map((jid) => lidOrPhone(ctx, jid)));
  return { ok: true, value: [...new Set(audience)] };
}

async function lidOrPhone(ctx: SessionContext, jid: string): Promise<string> {
  return jid.endsWith("@lid") ? jid : ((await lidJidOf(ctx, jid)) ?? jid);
}
