import { describe, expect, it } from "vitest";
import { colorHex, colorOfHex, argbOf, hexOf } from "@gateway/domain/colors.ts";

describe("a colour", () => {
  it("is sent to the network with alpha for a post, and comes back without", () => {
    expect(argbOf("#1F7A5C")).toBe(0xff1f7a5c);
    expect(argbOf("#000000")).toBe(0xff000000);
    expect(hexOf(0xff1f7a5c)).toBe("#1F7A5C");
    expect(hexOf(0x0a)).toBe("#00000A");
  });

  it("is known by number and by shade for a label", () => {
    for (let color = 0; color < 20; color += 1) expect(colorOfHex((colorHex(color) ?? "").toUpperCase())).toBe(color);
    expect(colorHex(20)).toBeNull();
    expect(colorOfHex("#123456")).toBeNull();
  });
});
