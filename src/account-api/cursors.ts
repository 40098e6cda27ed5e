// Cursors of the Account API: opaque to callers, and nothing but what we wrote is read back.
import { z } from "zod";
import { decodeCursor, encodeCursor } from "../domain/cursor.ts";
import { readAs } from "../http/fields.ts";

export type CursorCodec<T> = { write: (position: T) => string; read: (cursor: string) => T | null };

/** Makes and reads the cursors of one list; the schema says what a cursor holds. */
export function cursorCodec<T>(schema: z.ZodType<T>): CursorCodec<T> {
  return {
    write: (position) => encodeCursor(position),
    read: (cursor) => {
      const parsed = schema.safeParse(decodeCursor(cursor));
      return parsed.success ? parsed.data : null;
    },
  };
}

/** A field of a query that holds a cursor of this list, or nothing. */
export function cursorField<T>(cursors: CursorCodec<T>) {
  return z.string().min(1).max(512).transform(readAs(cursors.read, "is not a cursor of this list")).optional();
}
