import * as z from "#root/src/http/openapi/zod.ts";
import { CODIGOS, FAILURE_RESPONSES } from "@gateway/domain/failures/responses.ts";
import { FAILURE_TEXTS } from "@gateway/domain/failures/texts.ts";
import { phoneOrNull, unixSeconds } from "../fields.ts";
import type { ApiStyle } from "../style.ts";
import { viewsOf } from "../views.ts";

const NOTHING = { fields: {}, of: () => ({}) };

const CONNECTION_STYLE: ApiStyle = {
  person: { schema: phoneOrNull, of: (person) => person?.phone ?? null },
  timestamp: { schema: unixSeconds, of: (seconds) => seconds },
  failure: {
    schema: z.object({ codigo: z.enum(CODIGOS), mensagem: z.string() }),
    of: (code) => ({ codigo: FAILURE_RESPONSES[code].codigo, mensagem: FAILURE_TEXTS[code].pt }),
  },
  ofMessage: NOTHING,
  ofMedia: NOTHING,
  ofPerson: NOTHING,
  returnsEdits: false,
  // Send results are returned unwrapped (docs/use/apis.md, "Response format").
  sent: { schema: (result) => result, of: (result) => result },
};

export const VIEWS = viewsOf(CONNECTION_STYLE);
