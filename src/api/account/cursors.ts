import * as z from "zod";
import type { CursorCodec } from "@gateway/domain/cursor.ts";
import { readAs } from "../../http/fields.ts";

export function cursorField<T>(cursors: CursorCodec<T>) {
  return z.string().min(1).max(512).transform(readAs(cursors.read, "no_cursor")).optional();
}
