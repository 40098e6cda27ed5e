// A user invited by an administrator, signing in as a browser does.
import type { Ready } from "../../src/sandbox/host/state-directory.ts";
import { accountCalls, type AccountCalls } from "./account-holder.ts";
import { ask } from "./clients.ts";
import { eventually } from "./eventually.ts";
import { ok } from "./replies.ts";

export const PASSWORD = "a password of ten";
const MAILED_WITHIN_MS = 60_000;

export type InvitedUser = { id: string; email: string; token: string; cookie: string; signIn(): Promise<number> };

/** Calls the Account API as the sandbox's administrator. */
export async function administrator(ready: Ready): Promise<AccountCalls> {
  const { body } = await ask<{ access_token: string }>(`${ready.app_url}/sandbox/token`, {
    json: { email: ready.admin.email, role: "admin" },
  });
  return accountCalls(ready, { authorization: `Bearer ${body.access_token}` });
}

/** The administrator creates the user with a subscription; the user chooses a password through the emailed link and signs in. */
export async function inviteUser(ready: Ready, admin: AccountCalls, email: string): Promise<InvitedUser> {
  const subscription = { plan: "pro", status: "active", max_instances: 5, current_period_end: null };
  const { data } = await ok(admin("POST", "/admin/users", { email, name: "Ana Souza", role: "user", subscription }), 201);
  const link = await eventually(`the invitation to ${email}`, MAILED_WITHIN_MS, async () => {
    const { body } = await ask<{ data: { to: string; text: string }[] }>(`${ready.app_url}/sandbox/mail`);
    const mail = body.data.find(({ to }) => to === email);
    return mail !== undefined && /\S+\/set-password\?token=\S+/.exec(mail.text)?.[0];
  });
  const token = new URL(link).searchParams.get("token") ?? "";
  const headers = { origin: ready.app_url, "cf-connecting-ip": ownAddress() };
  await ok(ask(`${ready.app_url}/api/auth/reset-password`, { headers, json: { token, newPassword: PASSWORD } }));
  const origin = ready.app_url;
  const tryToSignIn = () => ask(`${origin}/api/auth/sign-in/email`, { headers, json: { email, password: PASSWORD } });
  const signedIn = await tryToSignIn();
  const cookie = signedIn.headers
    .getSetCookie()
    .map((set) => set.split(";")[0])
    .join("; ");
  const bearer = await ok(ask<{ token: string }>(`${origin}/api/auth/token`, { headers: { origin, cookie } }));
  return { id: data.id, email, cookie, token: bearer.token, signIn: async () => (await tryToSignIn()).status };
}

/** A unique client address, because sign-in attempts are counted per address. */
export function ownAddress(): string {
  const [a, b, c, d] = crypto.getRandomValues(new Uint8Array(4));
  return `2001:db8:${a}:${b}:${c}:${d}::1`;
}
