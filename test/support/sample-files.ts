// Small sample files, and a way to tell them apart.
import { createHash } from "node:crypto";

/** One pixel. */
export const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
/** One pixel. */
export const JPEG = Buffer.from(
  "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AN//Z",
  "base64",
);
/** The start of an MP4 file; no test plays it. */
export const MP4 = Buffer.concat([
  Buffer.from("0000001866747970", "hex"),
  Buffer.from("isom"),
  Buffer.from("00000200", "hex"),
  Buffer.from("isomiso2"),
  Buffer.alloc(64),
]);

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
