import { describe, expect, it } from "vitest";
import { isAddressBlock, isAllowedFrom } from "@gateway/domain/keys/allowed-ips.ts";

describe("allowed addresses", () => {
  it.each([
    ["203.0.113.0/24", "203.0.113.9", true],
    ["203.0.113.0/24", "203.0.114.9", false],
    ["203.0.113.77/24", "203.0.113.9", true],
    ["203.0.113.9", "203.0.113.9", true],
    ["203.0.113.9", "203.0.113.10", false],
    ["203.0.113.128/25", "203.0.113.127", false],
    ["0.0.0.0/0", "198.51.100.1", true],
    ["0.0.0.0/0", "2001:db8::1", false],
    ["203.0.113.0/24", "::ffff:203.0.113.9", true],
    ["::ffff:203.0.113.0/120", "203.0.113.9", true],
    ["2001:db8::/48", "2001:db8:0:7::1", true],
    ["2001:db8::/48", "2001:db8:1::1", false],
    ["2001:DB8::1", "2001:db8:0:0:0:0:0:1", true],
    ["fe80::/10", "fe80::1%eth0", true],
    ["::/0", "203.0.113.9", false],
  ])("%s, called from %s: %s", (block, address, expected) => {
    expect(isAllowedFrom([block], address)).toBe(expected);
  });

  it("are every address when null, and none for an unreadable caller", () => {
    expect(isAllowedFrom(null, null)).toBe(true);
    for (const address of [null, "", "unknown", "203.0.113.9, 198.51.100.1"]) expect(isAllowedFrom(["0.0.0.0/0"], address)).toBe(false);
  });

  it("need one matching block of several", () => {
    const blocks = ["198.51.100.7", "2001:db8::/32"];
    expect(["198.51.100.7", "2001:db8::9", "198.51.100.8"].map((address) => isAllowedFrom(blocks, address))).toEqual([true, true, false]);
  });

  it.each(["", "office", "203.0.113", "203.0.113.256", "203.0.113.0/33", "203.0.113.0/", "203.0.113.0/024", "010.0.0.1", "2001:db8::/129"])(
    "refuse the block %j",
    (text) => expect(isAddressBlock(text)).toBe(false),
  );
  it.each([":", "2001:db8", "1::2::3", "::ffff:203.0.113.999", "203.0.113.0/24 ", "203.0.113.0-203.0.113.9"])(
    "refuse text that is no block: %j",
    (text) => expect(isAddressBlock(text)).toBe(false),
  );
});
