import { describe, expect, it } from "vitest";
import { deviceOf, isLoopbackUrl, pathWithin } from "@gateway/domain/people/signing-in.ts";

const APP = "https://app.example.com";

describe("the page after signing in", () => {
  it.each(["/", "/connections", "/connections/7/settings?tab=people#ana", "/pair#token"])("is %s if that was requested", (path) =>
    expect(pathWithin(path, APP)).toBe(path),
  );

  it.each([
    undefined,
    "",
    "connections",
    "https://evil.example/",
    "//evil.example",
    "//evil.example/account",
    "/\\evil.example",
    "/\t/evil.example",
    "/.//evil.example",
    "/..//evil.example",
    "javascript:alert(1)",
    "/api/dashboard/sign-in",
    "/./api/auth/sign-out",
    `/${"x".repeat(1_000)}`,
  ])("is the start page instead of %j", (path) => expect(pathWithin(path, APP)).toBe("/"));
});

it("a URL on this machine is recognized", () => {
  expect(["http://127.0.0.1:4000/x", "http://localhost", "http://[::1]:1"].map(isLoopbackUrl)).toEqual([true, true, true]);
  expect(["http://127.0.0.1.evil.example", "https://example.com", "", "localhost"].map(isLoopbackUrl)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

it.each([
  ["Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36", "Chrome", "Windows"],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0",
    "Edge",
    "Windows",
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
    "Safari",
    "macOS",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/141.0.0.0 Mobile/15E148 Safari/604.1",
    "Chrome",
    "iOS",
  ],
  [
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36",
    "Samsung Internet",
    "Android",
  ],
  [
    "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 OPR/120.0.0.0",
    "Opera",
    "ChromeOS",
  ],
  ["Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox", "Linux"],
  ["curl/8.5.0", null, null],
  ["", null, null],
])("the browser and the system are read from %s", (userAgent, browser, system) => expect(deviceOf(userAgent)).toEqual({ browser, system }));
