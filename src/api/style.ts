// How each API writes people, times and failures (docs/use/apis.md, "Response format").
import type { z } from "zod";
import type { FailureCode } from "@gateway/protocol/failures.ts";
import type { Person } from "@gateway/protocol/ids.ts";
import type { StoredMedia } from "@gateway/protocol/message.ts";
import type { MessageRecord } from "@gateway/protocol/records.ts";

/** Schema of a value, and the conversion from its stored form. */
type Value<T, S extends z.ZodType> = { schema: S; of: (stored: T) => z.input<S> };

type OwnFields<T> = { fields: object; of: (stored: T) => object };

export type ApiStyle = {
  person: Value<Person | null, z.ZodNullable<z.ZodString>>;
  timestamp: Value<number, z.ZodType<number | string>>;
  failure: Value<FailureCode, z.ZodType>;
  ofMessage: OwnFields<MessageRecord>;
  ofMedia: OwnFields<StoredMedia>;
  /** Additional fields for a person in a list, besides `phone`. */
  ofPerson: OwnFields<Person>;
  /** True if an edit returns the edited message. Otherwise, it returns only `{ ok: true }`. */
  returnsEdits: boolean;
  sent: { schema: (result: z.ZodType) => z.ZodType; of: (result: unknown) => unknown };
};
