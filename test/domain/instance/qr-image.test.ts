import { inflateSync } from "node:zlib";
import { encode } from "uqr";
import { expect, it } from "vitest";
import { qrImage } from "@gateway/domain/instance/qr-image.ts";

const TEXT = `https://wa.me/settings/linked_devices#2@${"A1b2".repeat(40)},${"c3".repeat(22)},${"d4".repeat(22)},${"e5".repeat(22)},1`;

it("the QR image has every module of the QR, with a quiet zone around it", () => {
  const url = qrImage(TEXT);
  expect(url.startsWith("data:image/png;base64,iVBORw0KGgo")).toBe(true);
  const png = Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
  const side = png.readUInt32BE(16);
  const length = png.readUInt32BE(33);
  expect(png.toString("latin1", 37, 41)).toBe("IDAT");
  const pixels = inflateSync(png.subarray(41, 41 + length));
  const bytesPerLine = side / 8 + 1;
  expect(pixels.length).toBe(bytesPerLine * side);
  const { data, size } = encode(TEXT, { ecc: "L", border: 4 });
  expect(side).toBe(size * 8);
  for (let y = 0; y < size; y++) {
    for (let line = 0; line < 8; line++) {
      const row = pixels.subarray((y * 8 + line) * bytesPerLine + 1, (y * 8 + line + 1) * bytesPerLine);
      expect([...row].map((byte) => byte === 0)).toEqual(data[y]);
    }
  }
  expect(png.length).toBeLessThan(4_000);
});
