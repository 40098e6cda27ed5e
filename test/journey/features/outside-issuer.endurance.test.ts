// A sandbox with an external sign-in issuer: the demo starts as usual, and a user signs in through a browser's own steps.
import { afterEach, beforeEach, expect, it } from "vitest";
import { startIssuer } from "../../support/identity/issuer-server.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

let outside: Awaited<ReturnType<typeof startIssuer>>;
let sandbox: Sandbox;
beforeEach(async () => {
  outside = await startIssuer("Acme");
  sandbox = await startSandbox([], outside.settings);
  outside.signsInFor(sandbox.ready().app_url);
});
afterEach(async () => {
  await sandbox?.dispose();
  await outside?.close();
});

it("a user signs in by the issuer, acts with a cookie, and signs out", async () => {
  const app = sandbox.ready().app_url;
  const jar = new Map<string, string>();
  const go = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(url, { redirect: "manual", ...init, headers: { origin: app, cookie, "content-type": "application/json" } });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (/Max-Age=0/i.test(set)) jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  };
  const session = async () => ((await (await go(`${app}/api/dashboard/session`)).json()) as { data: object }).data;
  expect(await session()).toMatchObject({ user: null, identity: { kind: "issuer", name: "Acme" }, sandbox: true });
  let at = `${app}/api/dashboard/sign-in?to=/account`;
  const passed: string[] = [];
  for (let answer = await go(at); answer.status === 302; answer = await go(at)) {
    at = new URL(answer.headers.get("location") ?? "", at).href;
    passed.push(new URL(at).pathname);
    if (at === `${app}/account`) break;
  }
  expect(passed).toEqual(["/authorize", "/api/dashboard/sign-in/callback", "/account"]);
  expect(await session()).toMatchObject({ user: { email: "ana@example.com", name: "Ana" } });
  expect([...jar.keys()]).toEqual(["gateway.session_token"]);
  await go(`${app}/api/dashboard/sign-out`, { method: "POST", body: "{}" });
  expect([await session(), jar.size]).toMatchObject([{ user: null }, 0]);
});
