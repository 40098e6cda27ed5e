// How one of the two APIs writes what both answer: people, times, failures (docs/use/apis.md, "Shapes").
import type { z } from "@hono/zod-openapi";
import type { FailureCode } from "@gateway/protocol/failures.ts";
import type { Person } from "@gateway/protocol/ids.ts";
import type { StoredMedia } from "@gateway/protocol/message.ts";
import type { MessageRecord } from "@gateway/protocol/records.ts";

/** A value in an answer: its schema, and how it is made of what is stored. */
type Value<T, S extends z.ZodType> = { schema: S; of: (stored: T) => z.input<S> };

/** Fields of an answer that this API alone has. */
type OwnFields<T> = { fields: object; of: (stored: T) => object };

export type AnswerStyle = {
  /** Who somebody is; null while the phone number is unknown. */
  person: Value<Person | null, z.ZodNullable<z.ZodString>>;
  /** The time of a message or a call; stored as Unix seconds. */
  timestamp: Value<number, z.ZodType<number | string>>;
  /** Why a message failed. */
  failure: Value<FailureCode, z.ZodType>;
  ofMessage: OwnFields<MessageRecord>;
  /** Of the file of a message. */
  ofMedia: OwnFields<StoredMedia>;
  /** Of a person in a list, beside `phone`. */
  ofPerson: OwnFields<Person>;
  /** An edit answers the edited message; otherwise only that it is done. */
  answersEdits: boolean;
  /** Around the result of a send. */
  sent: { schema: (result: z.ZodType) => z.ZodType; of: (result: unknown) => unknown };
};
