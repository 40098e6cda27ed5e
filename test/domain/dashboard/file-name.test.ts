// A saved file has a name.
import { expect, it } from "vitest";
import { fileName } from "#root/dashboard/src/domain/file-name.ts";

it("a file without a name is saved under its kind and time", () => {
  const at = new Date(2026, 10, 30, 6, 49).toISOString();
  const named = (type: string, mimetype: string, filename: string | null = null) =>
    fileName({ type, at, media: { mimetype, filename } }, { image: "Imagem" });
  expect([
    named("image", "image/jpeg"),
    named("voice", "audio/ogg; codecs=opus"),
    named("x", "application/vnd.ms-excel"),
    named("document", "application/pdf", "a.pdf"),
  ]).toEqual(["Imagem 2026-11-30 06-49.jpg", "voice 2026-11-30 06-49.ogg", "x 2026-11-30 06-49", "a.pdf"]);
});
