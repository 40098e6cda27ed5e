import { createHmac, timingSafeEqual } from "node:crypto";

export function isGenuine(headers, rawBody, secret) {
  const given = Buffer.from(headers["x-service-signature"] ?? "", "hex");
  const expected = createHmac("sha256", secret).update(rawBody).digest();
  return given.length === expected.length && timingSafeEqual(given, expected);
}
