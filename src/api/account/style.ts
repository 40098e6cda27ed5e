import { says } from "../../http/openapi/text.ts";
import { z } from "@hono/zod-openapi";
import { ENGLISH } from "@gateway/domain/failures/english.ts";
import { isoOfSeconds } from "../../http/times.ts";
import { phoneOrNull } from "../fields.ts";
import type { AnswerStyle } from "../style.ts";
import { viewsOf } from "../views.ts";
import { FailureCode } from "@gateway/protocol/failures.ts";
import { chatIdOf, type Person } from "@gateway/protocol/ids.ts";
import { iso, personIdOrNull } from "./fields.ts";

const ACCOUNT_STYLE: AnswerStyle = {
  person: { schema: personIdOrNull, of: personId },
  timestamp: { schema: iso, of: isoOfSeconds },
  failure: {
    schema: z.object({ code: FailureCode, message: z.string() }),
    of: (code) => ({ code, message: ENGLISH[code] }),
  },
  ofMessage: {
    fields: {
      phone: phoneOrNull.openapi(
        says({
          en: "Of the person that it is from, or to; null in a group when it is our own",
          pt: "Da pessoa de quem vem, ou a quem vai; null em um grupo quando é nossa",
        }),
      ),
      participant: personIdOrNull.openapi({ ...says({ en: "In a group: who wrote it", pt: "Em um grupo: quem escreveu" }), example: null }),
    },
    of: ({ chat_id, sender, recipient, from_me }) => {
      const isGroup = chat_id.endsWith("@g.us");
      const other = from_me ? (isGroup ? null : recipient) : sender;
      return { phone: other?.phone ?? null, participant: isGroup ? personId(sender) : null };
    },
  },
  ofMedia: {
    fields: {
      base64: z
        .string()
        .nullable()
        .optional()
        .openapi(
          says({
            en: "The content, with `downloadMedia`; null when it is not kept, or beyond 25 MB of content in one answer",
            pt: "O conteúdo, com `downloadMedia`; null quando não está guardado, ou além de 25 MB de conteúdo em uma resposta",
          }),
        ),
    },
    of: () => ({}),
  },
  ofPerson: {
    fields: {
      id: z
        .string()
        .openapi({ example: "5511900000002@c.us", ...says({ en: "The chat id of the person", pt: "O id da conversa com a pessoa" }) }),
    },
    of: (person) => ({ id: chatIdOf(person) }),
  },
  answersEdits: true,
  sent: { schema: (result) => z.object({ data: result }), of: (result) => ({ data: result }) },
};

export const VIEWS = viewsOf(ACCOUNT_STYLE);

function personId(person: Person | null): string | null {
  return person === null || person.phone === null ? null : chatIdOf(person);
}
