// A browser on the dashboard: it keeps cookies, sends its origin, and has a mailbox.
import { expect } from "vitest";
import type { Env } from "#root/src/env.ts";
import { APP, freshAddress, gateway, scriptedConnections } from "./gateway.ts";

export type Browser = ((method: string, path: string, body?: unknown) => Promise<Response>) & {
  /** The same browser on a gateway with these bindings. */
  with: (bindings: Partial<Env>) => Browser;
  /** The same browser on another site's page. */
  from: (origin: string) => Browser;
  /** Submits a form of our own page with a browser's headers. */
  post: (path: string, form: URLSearchParams) => Promise<Response>;
};

export type SeenMail = { to: string; subject: string; text: string };

/** Sends `body` as JSON, or as a form if it is `URLSearchParams`. */
export function browser(bindings: Partial<Env> = {}, address = freshAddress(), origin = APP, had = ""): Browser {
  const ask = gateway({ ...scriptedConnections(() => ({ ok: false, failure: { code: "unavailable" } })), ...bindings });
  let cookie = had;
  const go = async (method: string, path: string, body?: unknown, more: Record<string, string> = {}) => {
    const headers: Record<string, string> = { origin, "cf-connecting-ip": address, ...(cookie === "" ? {} : { cookie }), ...more };
    if (body !== undefined && !(body instanceof URLSearchParams)) headers["content-type"] = "application/json";
    const sent = body === undefined ? {} : { body: body instanceof URLSearchParams ? body : JSON.stringify(body) };
    const answer = await ask(path, { method, headers, ...sent });
    for (const set of answer.headers.getSetCookie()) {
      const [pair = ""] = set.split(";");
      cookie = [...cookie.split("; ").filter((known) => known !== "" && !known.startsWith(`${pair.split("=")[0]}=`)), pair].join("; ");
      expect(set).toMatch(/HttpOnly/i);
      expect(set).toMatch(/Secure/i);
      expect(set).toMatch(/SameSite=Lax/i);
    }
    return answer;
  };
  return Object.assign(go, {
    with: (others: Partial<Env>) => browser(others, address, origin, cookie),
    from: (other: string) => browser(bindings, address, other, cookie),
    post: (path: string, form: URLSearchParams) => go("POST", path, form, { "sec-fetch-site": "same-origin" }),
  });
}

/** A mail binding that records sent emails. */
export function mailbox(): { MAIL: Env["MAIL"]; sent: SeenMail[] } {
  const sent: SeenMail[] = [];
  return { MAIL: { send: async (mail: SeenMail) => void sent.push(mail) } as unknown as Env["MAIL"], sent };
}

/** The link in an email. */
export function linkIn(mail: SeenMail | undefined): string {
  return /https:\/\/\S+\?\S+/.exec(mail?.text ?? "")?.[0] ?? "";
}

/** The form data that an emailed link's page would submit. */
export async function formBehind(page: Response, typed: Record<string, string>): Promise<URLSearchParams> {
  const text = await page.text();
  const inputs = [...text.matchAll(/<input[^>]*name="(\w+)"[^>]*>/gs)].map(([input, name = ""]) => [
    name,
    /value="([^"]*)"/.exec(input)?.[1] ?? "",
  ]);
  return new URLSearchParams({ ...Object.fromEntries(inputs), ...typed });
}
