// The dashboard pages' security policy, and browser caching of their files.
import { expect, it } from "vitest";
import { useDashboard } from "../../support/dashboard/dashboard.ts";

const dashboard = useDashboard();

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types service-worker",
].join("; ");

it("the dashboard sends its policy with every page", async () => {
  for (const path of ["/", "/connections", "/connections/1/deliveries/msg_1", "/pair", "/nowhere"]) {
    const answer = await fetch(dashboard().url + path, { headers: { accept: "text/html" } });
    const { headers } = answer;
    expect([path, answer.status, headers.get("content-security-policy")]).toEqual([path, 200, POLICY]);
    expect([headers.get("x-content-type-options"), headers.get("referrer-policy"), headers.get("cross-origin-opener-policy")]).toEqual([
      "nosniff",
      // A pairing link's URL must not leak to other sites.
      path === "/pair" ? "no-referrer" : "same-origin",
      "same-origin",
    ]);
    expect(headers.get("cache-control")).not.toContain("immutable");
  }
});

it("the dashboard lets browsers cache a build's files forever, and the page that references them never", async () => {
  const page = await (await fetch(`${dashboard().url}/`)).text();
  const [, script = ""] = /<script type="module"[^>]* src="([^"]+)"/.exec(page) ?? [];
  const built = await fetch(dashboard().url + script);
  expect([built.status, built.headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
  const gone = await fetch(`${dashboard().url}/assets/app/of-an-earlier-release.js`, { headers: { accept: "text/html" } });
  expect([gone.status, gone.headers.get("cache-control"), gone.headers.get("content-type")]).toEqual([404, "no-store", "application/json"]);
  // The file name has no hash, because the file changes in place.
  expect((await fetch(`${dashboard().url}/assets/docs/reference.css`)).headers.get("cache-control")).not.toContain("immutable");
});

it("the policy blocks text as HTML, and a script within the page", async () => {
  const { page, trouble } = await dashboard().visit("/connections");
  await page.getByRole("heading", { level: 1 }).waitFor();
  trouble.expect(/Trusted(HTML|Script)/, /Content Security Policy/);
  const refused = await page.evaluate(() => {
    try {
      document.body.innerHTML = "<b>planted</b>";
      return "taken";
    } catch (error) {
      return (error as Error).name;
    }
  });
  expect(refused).toBe("TypeError");
  const ran = await page.evaluate(async () => {
    const script = document.createElement("script");
    try {
      script.textContent = "globalThis.planted = true";
    } catch {
      // Already refused.
    }
    document.head.append(script);
    return "planted" in globalThis;
  });
  expect(ran).toBe(false);
});
