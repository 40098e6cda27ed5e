// Pairing link routes, which do not require an account (docs/operate/security.md, "Pairing links").
import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { formatPairingCode } from "@gateway/domain/instance/owner-commands.ts";
import { qrImage } from "@gateway/domain/instance/qr-image.ts";
import { parsePairingToken, makePairingToken, PAIRING_PAGE } from "@gateway/domain/keys/pairing-token.ts";
import { settingsOf } from "#root/src/env.ts";
import type { AppContext } from "#root/src/http/app-env.ts";
import { callOf } from "../../context.ts";
import { fingerprint } from "#root/src/http/fingerprint.ts";
import { guardedStream, socketFeed } from "#root/src/http/event-stream.ts";
import { failureOfBadKey } from "#root/src/http/refuse-key.ts";
import { isoOfMs, isoOfSeconds, isoOfMsOrNull } from "@gateway/domain/iso-times.ts";
import { fail, type Failed, type Outcome } from "@gateway/protocol/failures.ts";
import type { OperationInput, OperationName, OperationOutput } from "@gateway/protocol/operations.ts";
import { StatusFrame } from "@gateway/protocol/stream-sockets.ts";
import { accessTo } from "#root/src/services/connections/access.ts";
import { callConnection, outcomeOfCall } from "#root/src/services/connections/call.ts";
import { openWatchSocket } from "#root/src/services/connections/stub.ts";
import { findUser } from "#root/src/services/users/user-table.ts";
import { isFromHere } from "../authenticate.ts";
import { action, message, stream, operation } from "../route.ts";
import type { PairingLink } from "@gateway/protocol/operations/instance.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { endStreams } from "#root/src/services/accounts/guard.ts";
import { callAs } from "../call-as.ts";

const COOKIE = "pairing";
const HIDDEN = { "X-Robots-Tag": "noindex", "Referrer-Policy": "no-referrer" };

type Shown = OperationOutput<"pairing.show">;
type Token = { connection: string; hash: string };
type Presented = { token: Token; shown: Shown };

export const pairingRoutes = [
  action("POST /pairing", "public", async (c, _caller, { body }) => {
    hide(c);
    if (!isFromHere(c)) return fail("forbidden");
    const presented = await present(c, body.token);
    if (!presented.ok) return presented;
    const { link } = presented.value.shown;
    if (link.ended === null) storeToken(c, body.token, link.expires_at);
    return { ok: true, value: { data: render(presented.value.shown) } };
  }),
  action("GET /pairing", "public", async (c) => {
    hide(c);
    const token = storedToken(c);
    if (token === undefined) return { ok: true, value: { data: null } };
    const presented = await present(c, token);
    return presented.ok ? { ok: true, value: { data: render(presented.value.shown) } } : presented;
  }),
  action("POST /pairing/connect", "public", async (c) => {
    const presented = await working(c);
    if (!presented.ok) return presented;
    const opened = await callAsLink(c, presented.value.token, "instance.connect", { force_new_pairing: false });
    return opened.ok ? { ok: true, value: message("The connection is being opened.")() } : opened;
  }),
  action("POST /pairing/code", "public", async (c, _caller, { body }) => {
    const presented = await working(c);
    if (!presented.ok) return presented;
    const asked = await callAsLink(c, presented.value.token, "instance.pairing_code", { phone: body.phone_number, code: null });
    if (!asked.ok) return asked;
    const { code, phone, expires_at } = asked.value;
    return { ok: true, value: { data: { code: formatPairingCode(code), phone_number: phone, expires_at: isoOfSeconds(expires_at) } } };
  }),
  stream("GET /pairing/stream", "public", async (c) => {
    const presented = await working(c);
    if (!presented.ok) return presented;
    const { token, shown } = presented.value;
    const opened = await guardedStream(c.env, {
      right: { userId: shown.link.created_by, credential: credentialOfLink(shown.link), connections: [token.connection] },
      expiresAt: shown.link.expires_at,
      open: async () => {
        const request = { user: credentialOfLink(shown.link), view: "pairing", after: null } as const;
        const socket = await openWatchSocket(c.env, token.connection, request);
        return socket === null ? null : socketFeed(socket, blockOf);
      },
      stillAllowed: async () => (await working(c)).ok,
    });
    if (!opened.ok) return opened;
    for (const [name, value] of Object.entries(HIDDEN)) opened.value.headers.set(name, value);
    return opened.value;
  }),
];

function hide(c: AppContext): void {
  for (const [name, value] of Object.entries(HIDDEN)) c.header(name, value);
}

/** Succeeds if the link works and the request is not cross-site. */
async function working(c: AppContext): Promise<Outcome<Presented>> {
  hide(c);
  if (!isFromHere(c)) return fail("forbidden");
  const token = storedToken(c);
  const presented = token === undefined ? fail("unauthorized") : await present(c, token);
  if (!presented.ok || presented.value.shown.link.ended === null) return presented;
  return fail("unauthorized");
}

/** A token that is unknown, or that belongs to a deleted connection, counts against the client's address. */
async function present(c: AppContext, text: string): Promise<Outcome<Presented>> {
  const token = parsePairingToken(settingsOf(c.env).KEY_SECRET, text);
  if (token === null) return bad(c);
  c.get("facts").connection = token.connection;
  const shown = await callAsLink(c, token, "pairing.show", {});
  if (shown.ok) {
    const isKnown = shown.value.link.ended !== null || (await isStillMeant(c, shown.value));
    if (isKnown) return { ok: true, value: { token, shown: shown.value } };
    const ended = await callAsLink(c, token, "pairing.end", {});
    return ended.ok ? { ok: true, value: { token, shown: revoked(shown.value) } } : ended;
  }
  const { code } = shown.failure;
  return code === "unauthorized" || code === "instance_not_found" || code === "pairing_link_not_found" ? bad(c) : shown;
}

async function bad(c: AppContext): Promise<Failed> {
  return fail(await failureOfBadKey(c));
}

/** True if the link's creator still has the right to pair the number. */
async function isStillMeant(c: AppContext, { link, connection_id }: Shown): Promise<boolean> {
  const [maker, access] = await Promise.all([findUser(c.env.DB, link.created_by), accessTo(c.env.DB, link.created_by, connection_id)]);
  return maker?.status === "active" && access !== null && access.role !== "viewer";
}

function revoked(shown: Shown): Shown {
  return { ...shown, link: { ...shown.link, ended: "revoked" } };
}

function render({ link, status, status_reason }: Shown) {
  const { label, expires_at, ended } = link;
  const now = ended === null ? { status, status_reason } : { status: null, status_reason: null };
  return { label, expires_at: isoOfMs(expires_at), ended, ...now };
}

/** The stream ends when the number is connected. */
function blockOf(text: string): { block: string; last: boolean } {
  const frame = StatusFrame.safeParse(JSON.parse(text)).data;
  const block = (event: string, data: object, last = false) => ({ block: `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`, last });
  switch (frame?.type) {
    case "status":
      return block("status", { status: frame.status, status_reason: frame.status_reason }, frame.status === "connected");
    case "qr":
      return block("qr", { qr: qrImage(frame.raw), raw: frame.raw, expires_at: isoOfSeconds(frame.expires_at) });
    default:
      return { block: "", last: false };
  }
}

async function callAsLink<N extends OperationName>(
  c: AppContext,
  { connection, hash }: Token,
  operation: N,
  input: OperationInput<N>,
): Promise<Outcome<OperationOutput<N>>> {
  c.get("facts").operation = operation;
  const digest = fingerprint(c.req.method, c.req.path, "").update(JSON.stringify(input)).digest("hex");
  const call = callOf(
    c,
    { kind: "pairing_link", hash },
    { path: c.req.path, query: "", fingerprint: digest, rejected: null },
    { flags: { mutating: !operation.startsWith("pairing."), counted: false, cached: false }, operation, input },
  );
  const result = await callConnection(c.env, connection, call);
  if (result.replayed === true) c.header("idempotent-replayed", "true");
  return outcomeOfCall(operation, result);
}

/** A host-only cookie that scripts cannot read. Without TLS, as in the sandbox, browsers reject the `__Host-` prefix. */
function storeToken(c: Context, token: string, expiresAt: number): void {
  const maxAge = Math.max(1, Math.ceil((expiresAt - Date.now()) / 1000));
  const shared = { path: "/", httpOnly: true, sameSite: "Strict", maxAge } as const;
  if (isSecure(c)) setCookie(c, COOKIE, token, { ...shared, prefix: "host", secure: true });
  else setCookie(c, COOKIE, token, shared);
}

function storedToken(c: Context): string | undefined {
  return isSecure(c) ? getCookie(c, COOKIE, "host") : getCookie(c, COOKIE);
}

const isSecure = (c: Context) => new URL(c.req.url).protocol === "https:";

const credentialOfLink = ({ id }: PairingLink) => `pairing:${id}`;

export const pairingLinkRoutes = [
  operation("GET /connections/{id}/pairing-links", {
    operation: "pairing.list",
    input: () => ({}),
    render: ({ items }) => ({ data: items.map(renderLink) }),
  }),
  /** Only this response contains the token. The object stores just its hash. */
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
      // In a replay, the stored record belongs to the first request's link, so the new token must not be shown.
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
