// Grants through ADMIN_EMAIL and SUBSCRIPTIONS, with exceptions (docs/operate/operations.md, "Accounts and subscriptions").
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { type Env, settingsOf } from "#root/src/env.ts";
import type { Bearer } from "#root/src/services/identity/verify-bearer.ts";
import { setSubscription } from "#root/src/services/subscriptions/set.ts";
import { findSubscription } from "#root/src/services/subscriptions/subscription.ts";
import { grantBySettings, provisionUser } from "#root/src/services/users/provision.ts";
import { setPassword } from "#root/src/services/identity/password-links.ts";
import { findUserByEmail } from "#root/src/services/users/user-table.ts";
import { browser, formBehind, linkIn, mailbox } from "../support/browser.ts";
import { freshEmail, someone } from "../support/people.ts";

const PASSWORD = "only the holder knows";
type Changed = Partial<Pick<Env, "ADMIN_EMAIL" | "SUBSCRIPTIONS" | "SUBSCRIPTION_INSTANCES">>;

/** Signs up; `confirm` follows the emailed link. */
async function signUp(email: string, settings: Changed) {
  const { MAIL, sent } = mailbox();
  const go = browser({ MAIL, ...settings });
  await go("POST", "/api/auth/sign-up/email", { email, name: "Ana" });
  await vi.waitFor(() => expect(sent).toHaveLength(1), { timeout: 60_000 });
  return {
    confirm: async () => {
      const form = await formBehind(await go("GET", linkIn(sent[0])), { password: PASSWORD });
      expect((await go("POST", "/set-password", form)).status).toBe(200);
    },
  };
}

async function signIn(email: string, settings: Changed): Promise<void> {
  expect((await browser(settings)("POST", "/api/auth/sign-in/email", { email, password: PASSWORD })).status).toBe(200);
}

const roleOf = async (email: string) => (await findUserByEmail(env.DB, email))?.role;
const subscriptionOf = async (email: string) => findSubscription(env.DB, (await findUserByEmail(env.DB, email))?.id ?? "");
const audited = async (email: string) =>
  (
    await env.DB.prepare(
      "SELECT actor_id, action, reason, outcome, after FROM audit_entry WHERE target = (SELECT id FROM user WHERE email = ?)",
    )
      .bind(email)
      .all()
  ).results;

describe("ADMIN_EMAIL", () => {
  it("makes whoever confirms the address an administrator, which is audited once", async () => {
    const email = freshEmail();
    const { confirm } = await signUp(email, { ADMIN_EMAIL: email.toUpperCase() });
    expect(await roleOf(email)).toBe("user");
    await confirm();
    expect(await roleOf(email)).toBe("admin");
    await signIn(email, { ADMIN_EMAIL: email });
    expect(await audited(email)).toEqual([
      { actor_id: "settings", action: "updateUser", reason: "ADMIN_EMAIL", outcome: "done", after: '{"name":"Ana","role":"admin"}' },
    ]);
  });

  it("takes effect at the next sign-in of an existing account, and for no other", async () => {
    const [{ user: chosen }, { user: other }] = [await someone(), await someone()];
    for (const { id } of [chosen, other]) await setPassword(env as Env, id, PASSWORD);
    await signIn(chosen.email, {});
    expect(await roleOf(chosen.email)).toBe("user");
    for (const { email } of [chosen, other]) await signIn(email, { ADMIN_EMAIL: chosen.email });
    expect([await roleOf(chosen.email), await roleOf(other.email)]).toEqual(["admin", "user"]);
    expect(await audited(other.email)).toEqual([]);
  });

  it("is recorded once when the first requests are concurrent", async () => {
    const { user } = await someone();
    const settings = { ...env, ADMIN_EMAIL: user.email } as Env;
    const made = await Promise.all(Array.from({ length: 3 }, () => grantBySettings(settings, user)));
    expect(made.map(({ role }) => role)).toEqual(["admin", "admin", "admin"]);
    expect(await audited(user.email)).toHaveLength(1);
    expect(await roleOf(user.email)).toBe("admin");
  });

  it("counts an outside issuer's address only when the issuer has verified it", async () => {
    const email = freshEmail();
    const settings = { ...env, ADMIN_EMAIL: email } as Env;
    const bearer: Bearer = { issuer: "https://issuer.example", subject: crypto.randomUUID(), email, emailVerified: false, name: null };
    expect((await provisionUser(settings, bearer))?.role).toBe("user");
    const verified = { ...bearer, subject: crypto.randomUUID(), emailVerified: true };
    expect((await provisionUser({ ...env } as Env, verified))?.role).toBe("user");
    // The user exists before the setting does.
    expect((await provisionUser(settings, verified))?.role).toBe("admin");
    expect(await audited(email)).toHaveLength(1);
  });

  it("is refused when it is no address", () => {
    expect(() => settingsOf({ ...env, ADMIN_EMAIL: "nobody" } as Env)).toThrow("bad settings: ADMIN_EMAIL: Invalid email address");
    expect(settingsOf({ ...env, ADMIN_EMAIL: "" } as Env).ADMIN_EMAIL).toBe("");
  });
});

describe("SUBSCRIPTIONS", () => {
  it("open: gives a subscription when the address is confirmed, of as many instances as are set", async () => {
    const email = freshEmail();
    const { confirm } = await signUp(email, { SUBSCRIPTIONS: "open", SUBSCRIPTION_INSTANCES: "3" });
    expect(await subscriptionOf(email)).toBe(null);
    await confirm();
    expect(await subscriptionOf(email)).toMatchObject({ plan: "open", status: "active", maxInstances: 3, currentPeriodEnd: null });
    const bearer: Bearer = {
      issuer: "https://issuer.example",
      subject: crypto.randomUUID(),
      email: null,
      emailVerified: false,
      name: null,
    };
    const outside = await provisionUser({ ...env, SUBSCRIPTIONS: "open" } as Env, bearer);
    expect(await findSubscription(env.DB, outside?.id ?? "")).toMatchObject({ plan: "open", maxInstances: 10 });
  });

  it("managed: gives none; an account without one gets it by its next sign-in once it is open", async () => {
    const email = freshEmail();
    await (await signUp(email, { SUBSCRIPTIONS: "managed" })).confirm();
    await signIn(email, { SUBSCRIPTIONS: "managed" });
    expect(await subscriptionOf(email)).toBe(null);
    await signIn(email, { SUBSCRIPTIONS: "open" });
    expect(await subscriptionOf(email)).toMatchObject({ plan: "open", status: "active" });
    await signIn(email, { SUBSCRIPTIONS: "managed" });
    expect(await subscriptionOf(email)).toMatchObject({ plan: "open", status: "active" });
  });

  it("open: leaves a subscription that was sold or ended as it is", async () => {
    const { user } = await someone(null);
    await setPassword(env as Env, user.id, PASSWORD);
    const ended = { plan: "gold", status: "canceled", maxInstances: 2, currentPeriodEnd: null } as const;
    await setSubscription(env as Env, user.id, ended, Date.now());
    await signIn(user.email, { SUBSCRIPTIONS: "open" });
    expect(await subscriptionOf(user.email)).toMatchObject(ended);
  });
});
