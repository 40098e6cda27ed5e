// Revocations that end event streams, and the streams that each must end.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { LIMITS } from "@gateway/domain/limits.ts";
import type { Env } from "#root/src/env.ts";
import { accountGuardStub } from "#root/src/services/accounts/guard.ts";
import { identityProvider } from "#root/src/services/identity/provider.ts";
import { setSubscription } from "#root/src/services/subscriptions/set.ts";
import { setPassword } from "#root/src/services/identity/password-links.ts";
import { suspendUser } from "#root/src/services/users/suspend.ts";
import { expectAtMost } from "../../support/promised-times.ts";
import { TestConnection } from "../fakes/connection.ts";
import { type Calls, callsWith, holder } from "../support/accounts.ts";
import { browser } from "../support/browser.ts";
import { EventStream } from "../support/event-stream.ts";
import { gateway } from "../support/gateway.ts";

const bindings = env as Env;
const ask = gateway();
const PASSWORD = "correct horse battery";
/** Promised time between the answer and the end of the streams. */
const WITHIN_MS = 1_000;
const WATCHED_MS = 1_000;

type Go = ReturnType<typeof browser>;

/** The owner and a viewer of a connection, each with a key, a token and a signed-in browser. */
export async function revocationWorld() {
  const owner = await holder();
  const connection = await TestConnection.create({ owner_id: owner.who.user.id });
  const viewer = await holder();
  await share(owner.who.headers, connection, viewer.who.user.email, "viewer");
  return { owner: await party(owner), viewer: await party(viewer), connection };
}
type World = Awaited<ReturnType<typeof revocationWorld>>;
type Party = {
  user: { id: string; email: string };
  headers: Record<string, string>;
  key: { id: string; key: string };
  token: Calls;
  go: Go;
};

async function party({ who, keyId, key, token }: Awaited<ReturnType<typeof holder>>): Promise<Party> {
  await setPassword(bindings, who.user.id, PASSWORD);
  const go = await signedIn(who.user.email);
  return { user: who.user, headers: who.headers, key: { id: keyId, key }, token, go };
}

async function signedIn(email: string): Promise<Go> {
  const go = browser({ CONNECTION: env.CONNECTION });
  expect((await go("POST", "/api/auth/sign-in/email", { email, password: PASSWORD })).status).toBe(200);
  return go;
}

export async function share(headers: Record<string, string>, { record }: TestConnection, email: string, role: string): Promise<void> {
  const answer = await ask(`/api/dashboard/connections/${record.id}/shares`, {
    method: "POST",
    headers,
    body: JSON.stringify({ email, role }),
  });
  expect(answer.status).toBeLessThan(300);
}

async function sharesOf({ owner, connection }: World): Promise<{ id: string }[]> {
  const answer = await ask(`/api/dashboard/connections/${connection.record.id}/shares`, { headers: owner.headers });
  return ((await answer.json()) as { data: { id: string }[] }).data;
}

const KINDS = ["key", "token", "dashboard token", "dashboard cookie"] as const;
type Kind = (typeof KINDS)[number];

export const pathOf = ({ uuid }: TestConnection) => `/api/instances/${uuid}/events`;

async function openAll(party: Party, connection: TestConnection): Promise<Record<Kind, EventStream>> {
  const dashboard = `/api/dashboard/connections/${connection.record.id}/stream`;
  return {
    key: await EventStream.from(await ask(pathOf(connection), { headers: { "x-api-key": party.key.key } })),
    token: await EventStream.from(await ask(pathOf(connection), { headers: party.headers })),
    "dashboard token": await EventStream.from(await ask(dashboard, { headers: party.headers })),
    "dashboard cookie": await EventStream.from(await party.go("GET", dashboard)),
  };
}

/** Resolves once the stream ends; events before its end are read. */
export async function ended(stream: EventStream): Promise<void> {
  while ((await stream.next()) !== null);
}

/** True if the stream does not end while it is watched. */
export function stays(stream: EventStream): Promise<boolean> {
  const watched = new Promise<boolean>((resolve) => setTimeout(() => resolve(true), WATCHED_MS));
  return Promise.race([ended(stream).then(() => false), watched]);
}

const ALL = [...KINDS];
const code = async (answer: Response | Promise<Response>) => (await answer).status;

/** Each kind of revocation, with the streams it must end. */
const REVOCATIONS = {
  "a key is removed": {
    revoke: async ({ owner }) => expect((await owner.token("DELETE", `/api-keys/${owner.key.id}`)).status).toBe(200),
    owner: ["key"],
    viewer: [],
  },
  "a key removes itself": {
    revoke: async ({ viewer }) =>
      expect((await callsWith({ "x-api-key": viewer.key.key })("DELETE", `/api-keys/${viewer.key.id}`)).status).toBe(200),
    owner: [],
    viewer: ["key"],
  },
  "a share is removed": {
    revoke: async (world) => {
      const [shared] = await sharesOf(world);
      const path = `/api/dashboard/connections/${world.connection.record.id}/shares/${shared?.id}`;
      expect(await code(ask(path, { method: "DELETE", headers: world.owner.headers }))).toBe(200);
    },
    owner: [],
    viewer: ALL,
  },
  "a share gets another role": {
    revoke: ({ owner, viewer, connection }) => share(owner.headers, connection, viewer.user.email, "operator"),
    owner: [],
    viewer: ALL,
  },
  "the reader's account is suspended": { revoke: ({ viewer }) => suspendUser(bindings, viewer.user.id), owner: [], viewer: ALL },
  "the owner's account is suspended": { revoke: ({ owner }) => suspendUser(bindings, owner.user.id), owner: ALL, viewer: ALL },
  "a session is signed out": {
    revoke: async ({ owner }) => expect(await code(owner.go("POST", "/api/auth/sign-out", {}))).toBe(200),
    owner: ["dashboard cookie"],
    viewer: [],
  },
  "the same user has signed in twenty times since": {
    revoke: async ({ owner }) => {
      const { internalAdapter } = await (await identityProvider(bindings)).$context;
      for (let n = 0; n < LIMITS.sessions; n += 1) await internalAdapter.createSession(owner.user.id);
    },
    owner: ["dashboard cookie"],
    viewer: [],
  },
  "a password is changed": {
    revoke: async ({ owner }) => {
      const elsewhere = await signedIn(owner.user.email);
      const change = { currentPassword: PASSWORD, newPassword: `${PASSWORD}!` };
      expect(await code(elsewhere("POST", "/api/auth/change-password", change))).toBe(200);
    },
    owner: ALL,
    viewer: [],
  },
  "a password is reset": {
    revoke: async ({ owner }) => {
      const { internalAdapter } = await (await identityProvider(bindings)).$context;
      const expiresAt = new Date(Date.now() + 60_000);
      await internalAdapter.createVerificationValue({ identifier: `reset-password:${owner.user.id}`, value: owner.user.id, expiresAt });
      const fields = { token: owner.user.id, newPassword: `${PASSWORD}!` };
      expect(await code(browser({ CONNECTION: env.CONNECTION })("POST", "/api/auth/reset-password", fields))).toBe(200);
    },
    owner: ALL,
    viewer: [],
  },
  "the reader's account is deleted": {
    revoke: ({ viewer }) => accountGuardStub(bindings, viewer.user.id).remove({ userId: viewer.user.id, email: viewer.user.email }),
    owner: [],
    viewer: ALL,
  },
  "the owner's account is deleted": {
    revoke: ({ owner }) => accountGuardStub(bindings, owner.user.id).remove({ userId: owner.user.id, email: owner.user.email }),
    owner: ALL,
    viewer: ALL,
  },
  "the instance is deleted": {
    revoke: async ({ owner, connection }) => expect((await owner.token("DELETE", `/instances/${connection.uuid}`)).status).toBe(200),
    owner: ALL,
    viewer: ALL,
  },
  "the subscription has ended": {
    revoke: ({ owner }) =>
      setSubscription(bindings, owner.user.id, { plan: "test", status: "canceled", maxInstances: 1, currentPeriodEnd: null }, Date.now()),
    owner: ALL,
    viewer: ALL,
  },
} satisfies Record<string, { revoke: (world: World) => Promise<unknown>; owner: readonly Kind[]; viewer: readonly Kind[] }>;

export type Revocation = keyof typeof REVOCATIONS;
export const ALL_REVOCATIONS = Object.keys(REVOCATIONS) as Revocation[];

export function describeRevocations(names: readonly Revocation[]): void {
  describe("a revocation ends its streams within a second of the response, and no others, when", () => {
    it.each(names)("%s", async (name) => {
      const here = await revocationWorld();
      const open = { owner: await openAll(here.owner, here.connection), viewer: await openAll(here.viewer, here.connection) };
      const revocation: { revoke: (world: World) => Promise<unknown> } & Record<"owner" | "viewer", readonly Kind[]> = REVOCATIONS[name];
      const streams = (["owner", "viewer"] as const).flatMap((party) =>
        KINDS.map((kind) => ({ what: `${party}'s ${kind}`, stream: open[party][kind], mustEnd: revocation[party].includes(kind) })),
      );
      await revocation.revoke(here);
      const answeredAt = performance.now();
      await Promise.all(streams.filter(({ mustEnd }) => mustEnd).map(({ stream }) => ended(stream)));
      expectAtMost(`streams ended after ${name}`, performance.now() - answeredAt, WITHIN_MS);
      const left = streams.filter(({ mustEnd }) => !mustEnd);
      expect(await Promise.all(left.map(async ({ what, stream }) => [what, await stays(stream)]))).toEqual(
        left.map(({ what }) => [what, true]),
      );
    });
  });
}
