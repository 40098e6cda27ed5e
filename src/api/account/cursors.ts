// Cursors of the Account API's lists.
import { z } from "zod";
import type { CursorCodec } from "@gateway/domain/cursor.ts";
import { readAs } from "../../http/fields.ts";

/** The optional query parameter `cursor` of this list. */
export function cursorField<T>(cursors: CursorCodec<T>) {
  return z.string().min(1).max(512).transform(readAs(cursors.read, "no_cursor")).optional();
}
