import { describe, expect, it } from "vitest";
import { checkOutgoingUrl, type UrlPolicy, urlProblem } from "@gateway/domain/egress/outgoing-url.ts";

const strict: UrlPolicy = { own: ["https://app.gateway.example.org", "https://api.gateway.example.org:8443"], loopback: false };
const sandbox: UrlPolicy = { own: ["http://127.0.0.1:8787"], loopback: true };
const allowed = (raw: string, policy = strict) => checkOutgoingUrl(raw, policy).ok;

describe("a destination in production", () => {
  it.each([
    "https://example.com",
    "https://example.com/",
    "https://example.com:8443/hook?token=1#x",
    "HTTPS://Example.COM/Hook",
    "https://8.8.8.8/hook",
    "https://bücher.example.net/",
    "https://hooks.example.com./x",
    "https://[2606:4700::1111]/",
  ])("may be %s", (raw) => expect(allowed(raw)).toBe(true));

  it.each([
    "http://example.com/",
    "ftp://example.com/",
    "https:/example.com/",
    "https:example.com",
    "//example.com/",
    "example.com",
    "",
    " https://example.com/",
    "https://example.com/ ",
    "https://exam\tple.com/",
    "https://example.com/\n",
    "https://example.com\\@127.0.0.1/",
    "https:\\\\example.com\\",
    "https://user:pass@example.com/",
    "https://user@example.com/",
    "https://@example.com/",
    "https://exa\u00admple.com/",
    "https://example.com:0/",
    "https://example.com:99999/",
    "https:///example.com/",
    `https://example.com/${"a".repeat(2_048)}`,
    "javascript:alert(1)",
    "https://%00.example.com/",
    "https://exa mple.com/",
  ])("may not be %j", (raw) => expect(allowed(raw)).toBe(false));

  // Spellings of one loopback address that reach it when nothing blocks them (docs/operate/untrusted-input.md, "Outgoing requests").
  it.each([
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "017700000001",
    "0x7f000001",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "0x7f.1",
    "127.0.0.1.",
    "①②⑦.⓪.⓪.①",
    "１２７.０.０.１",
    "127。0。0。1",
    "127．0．0．1",
    "%31%32%37.0.0.1",
    "127.0.0.%31",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:0:0:1]",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "ｌｏｃａｌｈｏｓｔ",
    "127.0.0.1:443",
    "a.localhost",
  ])("is not fooled by https://%s/", (spelling) => expect(allowed(`https://${spelling}/`)).toBe(false));

  it.each([
    "https://app.gateway.example.org/",
    "https://app.gateway.example.org./",
    "https://APP.gateway.example.org:8443/",
    "https://api.gateway.example.org/x",
  ])("is never this service itself: %s", (raw) => expect(allowed(raw)).toBe(false));

  it("is refused with one error for every reason", () => {
    const answers = ["http://example.com/", "https://10.0.0.1/", "https://app.gateway.example.org/", "nonsense"].map((raw) =>
      checkOutgoingUrl(raw, strict),
    );
    for (const answer of answers) expect(answer).toEqual({ ok: false, failure: { code: "url_not_allowed" } });
  });
});

describe("a destination in the sandbox", () => {
  it.each(["http://127.0.0.1:3000/hook", "http://127.0.0.1/", "http://127.0.0.1", "https://example.com/hook"])("may be %s", (raw) =>
    expect(allowed(raw, sandbox)).toBe(true),
  );

  it.each([
    "http://127.0.0.1:8787/hook",
    "http://127.0.0.2/",
    "http://localhost:3000/",
    "http://127.1:3000/",
    "http://127.0.0.1.example.com/",
    "http://example.com/",
    "http://127.0.0.1@example.com/",
    "http://10.0.0.1/",
    "https://127.0.0.1/",
    "http://[::1]:3000/",
  ])("may not be %s", (raw) => expect(allowed(raw, sandbox)).toBe(false));

  it("has no exception under the production rules", () => expect(allowed("http://127.0.0.1:3000/hook")).toBe(false));
});

describe("a destination that the operator of one machine lists", () => {
  const own = ["http://localhost:8787", "https://gateway.example.com"];
  const listing: UrlPolicy = {
    own,
    loopback: false,
    listed: ["127.0.0.1:3000", "n8n:5678", "[::1]:9000", "app.lan:80", "localhost:8787", "gateway.example.com:443"],
  };

  it.each([
    "http://127.0.0.1:3000/hook",
    "https://127.0.0.1:3000/hook",
    "http://n8n:5678/webhook/1?x=2",
    "http://N8N:5678/",
    "http://[::1]:9000",
    "http://app.lan/hook",
    "https://example.com/hook",
  ])("may be %s", (raw) => expect(allowed(raw, listing)).toBe(true));

  it.each([
    "http://127.0.0.1:3001/hook",
    "http://127.0.0.1/",
    "http://127.0.0.2:3000/",
    "http://localhost:3000/",
    "https://app.lan/hook",
    "http://n8n.example.com:5678/",
    "http://n8n:56780/",
    "http://user@n8n:5678/",
    "http://n8n:5678@10.0.0.1/",
    "http://10.0.0.1/#n8n:5678",
    "http://10.0.0.1\\@n8n:5678/",
    "http://n8n :5678/",
    "ftp://n8n:5678/",
    "http://example.com/",
    "https://10.0.0.1/",
    "http://169.254.169.254/",
  ])("may not be %j", (raw) => expect(allowed(raw, listing)).toBe(false));

  it("is never the gateway itself", () => {
    expect(urlProblem("http://localhost:8787/hook", listing)).toBe("own");
    expect(urlProblem("https://gateway.example.com/hook", listing)).toBe("own");
  });
});

describe("the problem of a destination that is being typed", () => {
  it.each<[string, ReturnType<typeof urlProblem>]>([
    ["https://example.com/hook", null],
    ["http://example.com/hook", "not_https"],
    ["example.com/hook", "not_https"],
    ["https://localhost/hook", "not_public"],
    ["https://10.0.0.1/hook", "not_public"],
    ["https://app.gateway.example.org/hook", "own"],
    ["https://me:secret@example.com/hook", "credentials"],
    ["https://example.com/a b", "characters"],
    ["https://", "unreadable"],
    [`https://example.com/${"x".repeat(2_048)}`, "too_long"],
  ])("%s: %s", (raw, problem) => expect(urlProblem(raw, strict)).toBe(problem));

  it("http on loopback is a destination in the sandbox alone", () => {
    expect(urlProblem("http://127.0.0.1:9000/hook", sandbox)).toBeNull();
    expect(urlProblem("http://127.0.0.1:8787/hook", sandbox)).toBe("own");
    expect(urlProblem("http://127.0.0.1:9000/hook", strict)).toBe("not_https");
  });
});
