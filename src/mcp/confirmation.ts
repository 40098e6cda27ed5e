// A person's consent to a change, given in a form or on a page of the dashboard. For a form, the server stores nothing. The client sends
// back a state with the expiry time and an HMAC over key, tool, arguments and that time. For the page, the object stores the change.
// Even if a consent is used twice, the change happens only once, because of its `request_id`.
import { timingSafeEqual } from "node:crypto";
import { toBase64Url } from "@gateway/domain/base64.ts";
import { macOf } from "@gateway/domain/keys/located-key.ts";
import { currentSecret } from "@gateway/domain/keys/secrets.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { settingsOf } from "../env.ts";
import type { AppContext } from "../http/app-env.ts";
import { toolResultOf, failed } from "./results.ts";
import type { Port, Verdict } from "./port.ts";
import { type Arguments, type Client, textAt, type Tool, type ToolResult } from "./tool.ts";
import { inertText } from "./untrusted.ts";

const VALID_MS = 5 * MINUTE_MS;
const FORM = "confirm";

const NOTHING_SENT = "Nothing was sent.";
const REFUSED = {
  state: `This confirmation has expired, or belongs to a different call. ${NOTHING_SENT} Call the tool again without it.`,
  declined: `The person declined. ${NOTHING_SENT} Do not repeat the call unless the person asks for it.`,
  recipient: `This key's assistant may not write to this chat. ${NOTHING_SENT} By default it may write only where the other side wrote in the last 24 hours. The number's owner sets this in the key's policy for assistants.`,
  pace: `This key's assistant has made too many changes in the last hour. ${NOTHING_SENT}`,
  full: `Too many changes of this key wait for a person's decision. ${NOTHING_SENT} Call the tool again in some minutes.`,
} as const;

/** A call to a tool that changes something. `chatId` is null if the change does not belong to a chat. */
export type Change = { name: string; tool: Tool; given: Arguments; chatId: string | null };

/** Returns the result that replaces the change, or null if the change may run now. */
export async function refusalOf(c: AppContext, change: Change, client: Client, port: Port): Promise<ToolResult | null> {
  const { tool, given, chatId } = change;
  const isConfirmed = client.requestState !== undefined;
  if (isConfirmed) {
    if (!isValid(c, change, String(client.requestState))) return failed(REFUSED.state);
    if (!isAccepted(client.inputResponses)) return failed(REFUSED.declined);
  }
  const requestId = textAt(given, "request_id") ?? crypto.randomUUID();
  const confirmed = isConfirmed || tool.destructive !== true;
  const link = confirmed || client.forms ? null : { id: idOf(c, change), tool: change.name, given: shownArguments(given) };
  const admitted = await port.admit(c, { chat_id: chatId, request_id: requestId, confirmed, link });
  if (!admitted.ok) return toolResultOf(admitted.response);
  const { verdict, retry_after: seconds } = admitted.value;
  if (verdict === "allowed") return null;
  if (verdict === "ask") return { result: form(c, change, admitted.value) };
  if (verdict === "waiting") return failed(waiting(c, admitted.value, link?.id));
  return failed(verdict === "pace" ? `${REFUSED.pace} Retry-After: ${seconds} s.` : REFUSED[verdict]);
}

function waiting(c: AppContext, { connection_id: connection }: Verdict, id = ""): string {
  const page = `${settingsOf(c.env).APP_URL}/connections/${connection}/confirmations/${id}`;
  return `A person must confirm this. ${NOTHING_SENT} Ask the person to open ${page} within 10 minutes, sign in and decide. Then call the tool again with the same arguments.`;
}

/** The id is the same for a repeated call, and nobody can guess it. Its expiry time of 0 prevents its use as a form's state. */
function idOf(c: AppContext, change: Change): string {
  return macFor(c, change, 0, currentSecret(settingsOf(c.env).KEY_SECRET).secret);
}

function isAccepted(responses: unknown): boolean {
  return (responses as Record<string, { action?: unknown } | undefined> | null | undefined)?.[FORM]?.action === "accept";
}

function form(c: AppContext, change: Change, to: Verdict): object {
  const until = Date.now() + VALID_MS;
  const message = textOf(change, to);
  return {
    resultType: "input_required",
    inputRequests: {
      [FORM]: {
        method: "elicitation/create",
        params: { mode: "form", message, requestedSchema: { type: "object", properties: {} } },
      },
    },
    requestState: `${until}.${macFor(c, change, until, currentSecret(settingsOf(c.env).KEY_SECRET).secret)}`,
  };
}

function textOf({ name, given, chatId }: Change, to: Verdict): string {
  const person = [to.name, to.phone ?? chatId].filter((each) => each !== null).map((each) => inertText(each));
  return [
    `Allow ${name}?`,
    ...(chatId === null ? [] : [`To: ${person.join(", ")}`]),
    ...Object.entries(shownArguments(given)).map(([argument, value]) => `${argument}: ${value}`),
  ].join("\n");
}

/** Shows every argument in full. */
function shownArguments(given: Arguments): Record<string, string> {
  const shown = Object.entries(given).filter(([argument]) => argument !== "request_id" && argument !== "chat_id");
  return Object.fromEntries(shown.map(([name, value]) => [name, linesOf(typeof value === "string" ? value : JSON.stringify(value))]));
}

/** Keeps line breaks, so that the person sees the text as it will be sent. */
function linesOf(text: string): string {
  return text.split("\n").map(inertText).join("\n");
}

function isValid(c: AppContext, change: Change, state: string): boolean {
  const [until = "", mac = ""] = state.split(".");
  const left = Number(until) - Date.now();
  if (!/^\d+$/.test(until) || left < 0 || left > VALID_MS) return false;
  const given = Buffer.from(mac);
  return [...settingsOf(c.env).KEY_SECRET.values()].some((secret) => {
    const own = Buffer.from(macFor(c, change, Number(until), secret));
    return own.length === given.length && timingSafeEqual(own, given);
  });
}

function macFor(c: AppContext, { name, given }: Change, until: number, secret: Uint8Array): string {
  const key = c.req.header("x-api-key") ?? c.req.header("authorization") ?? "";
  const sorted = Object.entries(given).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const signed = JSON.stringify(["mcp confirmation", key, name, sorted, until]);
  return toBase64Url(macOf(secret, new TextEncoder().encode(signed)));
}
