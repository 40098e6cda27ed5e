// What the document itself says, in Portuguese.
import type { Catalogue } from "#root/src/http/openapi/translate.ts";

export const sharedTexts: Catalogue = {
  "Connection API": "API da conexão",
  "The key of the connection. It wins when both headers are sent.": "A chave da conexão. Vence quando os dois cabeçalhos são enviados.",
  "The same key, as `Authorization: Bearer svc_…`.": "A mesma chave, como `Authorization: Bearer svc_…`.",
  "The invalid fields, or what else is known about the error": "Os campos errados, ou o que mais se sabe do erro",
  "Unix seconds": "Segundos Unix",
  "Done.": "Feito.",
  "1 to 255 visible ASCII characters. The same value within 24 hours gets the first answer, and the action is not repeated.":
    "De 1 a 255 caracteres ASCII visíveis. O mesmo valor, em 24 horas, recebe a primeira resposta e não repete a ação.",
  "As in the header `X-Request-Id`. Give it to support. Only with `erro_interno`":
    "Como no cabeçalho `X-Request-Id`. Informe-o ao suporte. Só vem com `erro_interno`",
};
