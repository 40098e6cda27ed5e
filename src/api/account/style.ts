import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { FAILURE_TEXTS } from "@gateway/domain/failures/texts.ts";
import { isoOfSeconds } from "@gateway/domain/iso-times.ts";
import { phoneOrNull } from "../fields.ts";
import type { ApiStyle } from "../style.ts";
import { viewsOf } from "../views.ts";
import { FailureCode } from "@gateway/protocol/failures.ts";
import { chatIdOf, type Person } from "@gateway/protocol/ids.ts";
import type { CursorCodec } from "@gateway/domain/cursor.ts";
import { iso, personIdOrNull } from "./fields.ts";
import { readAs } from "#root/src/http/fields.ts";

const ACCOUNT_STYLE: ApiStyle = {
  person: { schema: personIdOrNull, of: personId },
  timestamp: { schema: iso, of: isoOfSeconds },
  failure: {
    schema: z.object({ code: FailureCode, message: z.string() }),
    of: (code) => ({ code, message: FAILURE_TEXTS[code].en }),
  },
  ofMessage: {
    fields: {
      phone: phoneOrNull.openapi(
        says({
          en: "The sender or the recipient; null for our own messages in a group",
          pt: "Quem enviou ou quem recebe; null em mensagens próprias em um grupo",
        }),
      ),
      participant: personIdOrNull.openapi({ ...says({ en: "In groups: the author", pt: "Em grupos: quem escreveu" }), example: null }),
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
            en: "The content, with `downloadMedia`; null if it is not stored, or after 25 MB of content in one response",
            pt: "O conteúdo, com `downloadMedia`; null se não está guardado, ou se a resposta já tem 25 MB de conteúdo",
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
  returnsEdits: true,
  sent: { schema: (result) => z.object({ data: result }), of: (result) => ({ data: result }) },
};

export const VIEWS = viewsOf(ACCOUNT_STYLE);

function personId(person: Person | null): string | null {
  return person === null || person.phone === null ? null : chatIdOf(person);
}

export function cursorField<T>(cursors: CursorCodec<T>) {
  return z.string().min(1).max(512).transform(readAs(cursors.read, "not_a_cursor")).optional();
}
