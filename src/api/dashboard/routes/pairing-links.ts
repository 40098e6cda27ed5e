import { makePairingToken, PAIRING_PAGE } from "@gateway/domain/keys/pairing-token.ts";
import { settingsOf } from "#root/src/env.ts";
import { isoOfMs, isoOfMsOrNull } from "#root/src/http/times.ts";
import type { PairingLink } from "@gateway/protocol/operations/instance.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { endStreams } from "#root/src/services/accounts/guard.ts";
import { action, operation } from "../route.ts";
import { callAs } from "../call-as.ts";

export const credentialOfLink = ({ id }: PairingLink) => `pairing:${id}`;

export const pairingLinkRoutes = [
  operation("GET /connections/{id}/pairing-links", {
    operation: "pairing.list",
    input: () => ({}),
    render: ({ items }) => ({ data: items.map(renderLink) }),
  }),
  /** Only this response contains the token: the object stores just its hash. */
  action(
    "POST /connections/{id}/pairing-links",
    "member",
    async (c, member, { body }) => {
      const { APP_URL, KEY_SECRET } = settingsOf(c.env);
      const made = makePairingToken(KEY_SECRET, member.connection.uuid, crypto.getRandomValues(new Uint8Array(15)));
      const stored = await callAs(c, member, "pairing.create", {
        id: made.hash.slice(0, 16),
        label: body.label,
        hash: made.hash,
        created_by: member.user.id,
        lifetime_ms: body.minutes * MINUTE_MS,
      });
      if (!stored.ok) return stored;
      // A replay returns the first link's record, so the token made by this request must not be shown.
      const url = stored.value.id === made.hash.slice(0, 16) ? `${APP_URL}${PAIRING_PAGE}#${made.token}` : null;
      return { ok: true, value: { data: { ...renderLink(stored.value), url } } };
    },
    { created: () => true },
  ),
  action("DELETE /connections/{id}/pairing-links/{link_id}", "member", async (c, member, { params }) => {
    const revoked = await callAs(c, member, "pairing.revoke", { id: params.link_id });
    if (!revoked.ok) return revoked;
    await endStreams(c.env, revoked.value.created_by, { credential: credentialOfLink(revoked.value) });
    return { ok: true, value: { message: "The link does not work any more." } };
  }),
];

function renderLink({ id, label, created_at, expires_at, opened_at, ended }: PairingLink) {
  return {
    id,
    label,
    created_at: isoOfMs(created_at),
    expires_at: isoOfMs(expires_at),
    opened_at: isoOfMsOrNull(opened_at),
    ended,
  };
}
