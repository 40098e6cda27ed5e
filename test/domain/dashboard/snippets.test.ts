// API calls as code: it runs as shown, whatever its values contain.
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { type Call, type Json, SNIPPET_LANGUAGES, snippet } from "#root/dashboard/src/domain/snippets.ts";

const KEY = "svc_ab'c$HOME\"d";
const NASTY = `it's "$HOME" \`id\` $(id) \\ !! \n\t@ \u2028 😀 </script>`;
const call: Call = {
  method: "POST",
  url: "https://gateway.example.com/api/v1/messages/text?a=1&b='x'",
  headers: { "Idempotency-Key": NASTY.replaceAll(/[^\x20-\x7E]/g, "") },
  body: {
    to: "5511900000002",
    text: NASTY,
    preview: true,
    none: null,
    list: [1, ["a"], {}],
    empty: [],
    "odd-name": -1.5,
    "a'b": { x: "y" },
  },
};
const read: Call = { method: "GET", url: "https://gateway.example.com/api/v1/chats" };

type Ran = { method: string; url: string; headers: Record<string, string>; body: Json | undefined };

/** Arguments that a real shell passes to curl. */
function runCurl(code: string, env: Record<string, string> = {}): Ran {
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${code}`;
  const words = execFileSync("sh", ["-c", script], { env, encoding: "utf8" }).split("\0").slice(0, -1);
  const after = (option: string) => words.flatMap((word, index) => (word === option ? [words[index + 1] ?? ""] : []));
  const headers = after("-H").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]);
  const [body] = after("--data-raw");
  return {
    method: after("-X")[0] ?? "",
    url: words.find((word) => word.startsWith("https:")) ?? "",
    headers: Object.fromEntries(headers),
    body: body === undefined ? undefined : JSON.parse(body),
  };
}

async function runNode(code: string, env: Record<string, string> = {}): Promise<Ran> {
  let ran: Ran | undefined;
  const fetch = async (url: string, init: { method: string; headers: Record<string, string>; body?: string }) => {
    const body = init.body === undefined ? undefined : JSON.parse(init.body);
    ran = { method: init.method, url, headers: init.headers, body };
    return { status: 200, text: async () => "{}" };
  };
  const AsyncFunction = (async () => undefined).constructor as new (...code: string[]) => (...given: unknown[]) => Promise<void>;
  await new AsyncFunction("fetch", "process", "console", code)(fetch, { env }, { log: () => undefined });
  return ran!;
}

const expected = (key: string): Ran => ({
  method: "POST",
  url: call.url,
  headers: { "X-Api-Key": key, "Content-Type": "application/json", ...call.headers },
  body: call.body,
});

describe("a call as code", () => {
  it("reaches curl through a shell unchanged, whatever its values contain", () => {
    expect(runCurl(snippet("curl", call, KEY))).toEqual(expected(KEY));
    expect(runCurl(snippet("curl", read, KEY))).toEqual({ method: "GET", url: read.url, headers: { "X-Api-Key": KEY }, body: undefined });
  });

  it("is run by Node unchanged, whatever its values contain", async () => {
    expect(await runNode(snippet("node", call, KEY))).toEqual(expected(KEY));
    expect(await runNode(snippet("node", { ...read, body: JSON.parse('{"__proto__":{"a":1}}') as Json }, KEY))).toMatchObject({
      body: JSON.parse('{"__proto__":{"a":1}}'),
    });
  });

  it("takes the key from the environment once it is no longer on the screen", async () => {
    for (const language of SNIPPET_LANGUAGES) {
      expect(snippet(language, call, null), language).not.toContain("svc_");
      expect(snippet(language, call, null), language).toContain("API_KEY");
    }
    expect(runCurl(snippet("curl", call, null), { API_KEY: "svc_1" })).toEqual(expected("svc_1"));
    expect(await runNode(snippet("node", call, null), { API_KEY: "svc_1" })).toEqual(expected("svc_1"));
  });

  it("reads as a person would write it in Python and PHP", () => {
    const short: Call = {
      method: "POST",
      url: "https://g.example.com/x",
      body: { text: "Olá, $você!", on: true, none: null, list: [], it: {} },
    };
    expect(snippet("python", short, null)).toBe(`import os
import requests

answer = requests.request(
    "POST",
    "https://g.example.com/x",
    headers={"X-Api-Key": os.environ["API_KEY"]},
    json={
        "text": "Olá, $você!",
        "on": True,
        "none": None,
        "list": [],
        "it": {},
    },
)
print(answer.status_code, answer.text)`);
    expect(snippet("php", short, "svc_a")).toBe(`<?php
$request = curl_init('https://g.example.com/x');
curl_setopt_array($request, [
    CURLOPT_CUSTOMREQUEST => 'POST',
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => ['X-Api-Key: svc_a', 'Content-Type: application/json'],
    CURLOPT_POSTFIELDS => json_encode([
        'text' => 'Olá, $você!',
        'on' => true,
        'none' => null,
        'list' => [],
        'it' => new stdClass(),
    ]),
]);
$answer = curl_exec($request);
echo curl_getinfo($request, CURLINFO_RESPONSE_CODE), " ", $answer, "\\n";`);
  });
});
