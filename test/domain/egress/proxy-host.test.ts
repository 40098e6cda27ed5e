import { describe, expect, it } from "vitest";
import { readProxyHost } from "@gateway/domain/egress/proxy-host.ts";

const production = { own: ["https://app.example.com", "https://api.example.com:8443"], loopback: false };
const sandbox = { own: ["http://127.0.0.1:8787"], loopback: true };

describe("the host of a proxy", () => {
  it.each([
    ["proxy.example.net", "proxy.example.net"],
    ["Proxy.Example.NET", "proxy.example.net"],
    ["8.8.8.8", "8.8.8.8"],
    ["2606:4700::1111", "[2606:4700::1111]"],
    ["[2606:4700::1111]", "[2606:4700::1111]"],
  ])("may be %s, stored as %s", (raw, host) => expect(readProxyHost(raw, production)).toBe(host));

  it.each([
    "",
    "127.0.0.1",
    "10.1.2.3",
    "169.254.169.254",
    "0x7f.1",
    "2130706433",
    "::1",
    "fe80::1",
    "::ffff:10.0.0.1",
    "localhost",
    "proxy.internal",
    "app.example.com",
    "api.example.com.",
    "proxy.example.net:80",
    "[2606:4700::1111]:80",
    "proxy.example.net/",
    "a@proxy.example.net",
    "proxy example.net",
    "proxy\t.example.net",
  ])("may not be %j", (raw) => expect(readProxyHost(raw, production)).toBeNull());

  it("may be this machine in the sandbox, by its address alone", () => {
    expect(readProxyHost("127.0.0.1", sandbox)).toBe("127.0.0.1");
    for (const raw of ["localhost", "127.0.0.2", "::1", "10.0.0.1"]) expect(readProxyHost(raw, sandbox)).toBeNull();
  });
});
